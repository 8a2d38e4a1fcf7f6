package pyramid

import (
	"context"
	"crypto/sha256"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/internal/chunk/keys"
	"github.com/zargo-io/zargo/internal/copying/claimed"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// results returns the paths of the arrays of a level: the level itself, and the variables in its
// group.
func (l layout) results(s state, level int) []string {
	at := l.path(level)
	paths := []string{at}
	dir, own := split(at)
	if dir == l.group {
		return paths
	}
	for _, p := range s.Paths[:min(len(s.Paths), maxRelated+1)] {
		if name := path.Base(p); name != own {
			paths = append(paths, join(dir, name))
		}
	}
	return paths
}

// isDocument reports whether key is that of a metadata document.
func isDocument(key string) bool { return node.IsDocument(path.Base(key)) }

// ofResult reports whether an object counts in the hashes in state.Results: the elements of a
// level, and the presence of its arrays. Other documents do not count.
func ofResult(e store.Entry) bool {
	name := path.Base(e.Key)
	return !isDocument(e.Key) || name == "zarr.json" || name == ".zarray"
}

// hashResult is like hash, but ignores the content of documents, so that other attributes of a
// level do not make it outdated.
func hashResult(list []store.Entry) string {
	list = slices.Clone(list)
	for i := range list {
		if isDocument(list[i].Key) {
			list[i].Size, list[i].Version = 0, ""
		}
	}
	return claimed.Hash(list)
}

// errReplaced reports that another process changed objects of a level during the build.
var errReplaced = fault.Newf(fault.Conflict, "another process changed the levels during the build: build the pyramid again")

// result returns the hash of the versions of a level's objects, or "" if the store does not report
// versions. It returns errReplaced if the objects are not those that this build has stored, or
// objects with equal values, such as those of a concurrent build with the same parameters. A build
// of an earlier version of the source may have replaced a document by one with another shape. In a
// level whose objects may be from an earlier version of the source, each object must be recorded.
func (b *builder) result(ctx context.Context, level int) (string, error) {
	paths := b.layout.results(b.state, level)
	list, err := claimed.Listed(ctx, b.st, paths, 0, ofResult)
	if err != nil || list == nil {
		return "", err
	}
	b.record.mu.Lock()
	defer b.record.mu.Unlock()
	own := b.levels[level-1].array
	for _, e := range list {
		is, ok := b.record.puts[e.Key]
		switch {
		case isDocument(e.Key) && (!ok || is.gone):
			continue
		case !ok && b.over(level) && ofGrid(own, e.Key), is.gone:
			return "", errReplaced
		case !ok, is.skipped, is.version == e.Version:
			continue
		case is.parts:
			return "", errReplaced
		}
		v, err := b.record.Forward.Get(ctx, e.Key, store.GetOptions{}, nil)
		switch {
		case errors.Is(err, fault.NotFound), err == nil && sha256.Sum256(v.Bytes) != is.sum:
			return "", errReplaced
		case err != nil:
			return "", err
		}
	}
	for key, is := range b.record.puts {
		below := slices.ContainsFunc(paths, func(p string) bool { return strings.HasPrefix(key, p+"/") })
		_, ok := slices.BinarySearchFunc(list, key, func(e store.Entry, key string) int { return strings.Compare(e.Key, key) })
		if below && !ok && !is.gone && path.Base(key) != ".zattrs" {
			return "", errReplaced
		}
	}
	return hashResult(list), nil
}

// ofGrid reports whether key is that of a chunk or shard of an array.
func ofGrid(a *zarr.Array, key string) bool {
	name, ok := strings.CutPrefix(key, a.Path()+"/")
	return ok && keys.Of(a, claim.Claim{}).Find(name).Place == keys.Inside
}

// results sets the results of the levels that this build has computed.
func (b *builder) results(ctx context.Context) error {
	b.state.Results = b.state.Results[:min(b.state.Keep, len(b.state.Results))]
	for level := len(b.state.Results) + 1; level <= len(b.levels); level++ {
		r, err := b.result(ctx, level)
		if err != nil {
			return err
		}
		b.state.Results = append(b.state.Results, r)
	}
	return nil
}

// intact reports whether the objects of a level are those for which a build stored the result. It
// reports true if the result is unknown.
func intact(ctx context.Context, st store.Store, l layout, s state, level, most int) (bool, error) {
	if level > len(s.Results) || s.Results[level-1] == "" {
		return true, nil
	}
	list, err := claimed.Listed(ctx, st, l.results(s, level), most, ofResult)
	if err != nil || list == nil {
		return true, err
	}
	return hashResult(list) == s.Results[level-1], nil
}

// check has the reads of a level checked, while the next level is computed from it. A level that an
// earlier build made must have the objects of that build. Level 0 is not checked here; see
// [builder.unchanged].
func (b *builder) check(ctx context.Context, level int) error {
	c := checked{next: b.prefix(level + 1)}
	if level > 0 {
		c.prefix, c.over = b.prefix(level), b.over(level)
	}
	if level > 0 && level <= b.state.Keep {
		list, err := claimed.Listed(ctx, b.st, b.layout.results(b.state, level), 0, ofResult)
		if err != nil {
			return err
		}
		if known := b.state.Results; list != nil && level <= len(known) && known[level-1] != "" && hashResult(list) != known[level-1] {
			return errReplaced
		}
		if list != nil {
			c.kept = map[string]store.Version{}
		}
		for _, e := range list {
			c.kept[e.Key] = e.Version
		}
	}
	b.record.check(c)
	return nil
}

// prefix returns the prefix of the keys of a level and its variables.
func (b *builder) prefix(level int) string {
	path := b.layout.path(level)
	if b.inGroups() {
		path, _ = split(path)
	}
	return path + "/"
}
