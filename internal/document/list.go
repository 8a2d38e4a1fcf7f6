package document

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/store"
)

// PageSize is how many entries of a listing First reads: what S3 and GCS send in response to one
// request.
const PageSize = 1000

// First yields the first entries of a listing below a folder of the node, each with its key below
// the node, while more wants them.
func (n *Node) First(ctx context.Context, folder string, o store.ListOptions, more func(store.Entry, string) bool) error {
	ctx, s := n.begin(ctx)
	seen := 0
	for e, err := range store.Pages(ctx, s, n.Key(folder), o) {
		if err != nil {
			return err
		}
		if seen++; !more(e, n.below(e.Key)) || seen == PageSize {
			return nil
		}
	}
	return nil
}

// Each calls each for everything that is stored below the node, in any order, with its key below
// the node. An error of each ends it.
func (n *Node) Each(ctx context.Context, each func(e store.Entry, key string) error) error {
	ctx, s := n.begin(ctx)
	for e, err := range store.ListAll(ctx, s, n.Path, store.ListOptions{}) {
		if err == nil {
			err = each(e, n.below(e.Key))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// betweenChecks is how many keys are deleted before the claim is asked for again.
const betweenChecks = 1000

// DeleteHeld deletes what is stored below the node and is chosen by its entry and its key below it,
// while it is listed, as long as the claim is held: that is asked before each 1000 keys.
func (n *Node) DeleteHeld(ctx context.Context, h *Held, chosen func(e store.Entry, key string) bool) error {
	ctx, s := n.begin(ctx)
	deleted := 0
	return store.DeleteSeq(ctx, s, func(yield func(string, error) bool) {
		for e, err := range store.ListAll(ctx, s, n.Path, store.ListOptions{}) {
			if err == nil && !chosen(e, n.below(e.Key)) {
				continue
			}
			if err == nil && deleted%betweenChecks == 0 {
				err = h.Check(ctx)
			}
			if deleted++; !yield(e.Key, err) || err != nil {
				return
			}
		}
	})
}

// below is a key from the node on.
func (n *Node) below(key string) string {
	return strings.TrimPrefix(strings.TrimPrefix(key, n.Path), "/")
}

// Place is a folder in which a node may be, and the format of its documents that is asked for
// first.
type Place struct {
	Path   string
	Format int
}

// Children lists the folders one level below groups, by path. A child has the format of its group.
// Names that the format reserves are left out.
func (n *Node) Children(ctx context.Context, groups []Place) ([]Place, error) {
	ctx, s := n.begin(ctx)
	dirs := make([][]Place, len(groups))
	err := concurrency.EachN(ctx, store.TuningOf(s).ListFanout, len(groups), func(ctx context.Context, i int) error {
		g := groups[i]
		for e, err := range store.Pages(ctx, s, g.Path, store.ListOptions{Depth: store.OneLevel}) {
			if err != nil {
				return err
			}
			if e.Dir && (g.Format == 2 || !reserved(e.Key)) {
				dirs[i] = append(dirs[i], Place{e.Key, g.Format})
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	all := slices.Concat(dirs...)
	slices.SortFunc(all, func(a, b Place) int { return cmp.Compare(a.Path, b.Path) })
	return all, nil
}

// reserved reports whether a folder of a v3 group cannot be a node: v3 reserves names that begin
// with "__", v2 does not.
func reserved(key string) bool {
	return strings.HasPrefix(key[strings.LastIndexByte(key, '/')+1:], "__")
}
