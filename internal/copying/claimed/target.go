package claimed

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/written"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// Target is the node that a plan creates: its documents, and the checks for other nodes in its
// place. It implements [Node].
type Target struct {
	*Documents
	Archive bool // in an archive of this process: there are no other creators
	checked Once // of Free
}

// Look checks that no node exists at or below the target. It runs after the target was claimed and
// before the first task writes. empty reports whether the target contains no objects except those
// of transfers. Look returns fault.Exists if it finds a node.
func (t *Target) Look(ctx context.Context) (empty bool, err error) {
	own := Dir(t.Target) + "/"
	empty = true
	for e, err := range store.ListAll(ctx, t.Store, t.Target, store.ListOptions{}) {
		switch {
		case errors.Is(err, errors.ErrUnsupported), errors.Is(err, fault.Refused):
			return false, t.Absent(ctx, t.All()) // request each document instead
		case err != nil:
			return false, err
		case strings.HasPrefix(e.Key, own):
		case node.Founds(path.Base(e.Key)):
			return false, fault.Newf(fault.Exists, "the target has a node: %q exists", e.Key)
		default:
			empty = false
		}
	}
	if !store.ListingsOf(t.Store).Complete {
		if err := t.Absent(ctx, t.Within()); err != nil {
			return false, err
		}
	}
	if at := node.PathOf(t.Last()); !slices.ContainsFunc(t.Within(), func(key string) bool { return node.PathOf(key) != at }) {
		t.checked.done.Store(at, true) // the only node: its first task follows at once
	}
	return empty, nil
}

// All returns the keys of the plan's documents at or below the target, and of the documents
// of both formats that would create a node at the same paths. It omits a document of the other
// format if its key is the path of a node of the plan. In a directory such a key is not a value.
func (t *Target) All() []string {
	all := map[string]bool{}
	_, nodes := t.groups()
	for _, key := range t.Within() {
		all[key] = true
		for _, name := range []string{node.ZarrJSON, node.ZArray, node.ZGroup} {
			if other := node.Join(node.PathOf(key), name); !nodes[other] {
				all[other] = true
			}
		}
	}
	return slices.Collect(maps.Keys(all))
}

// Alone checks that no other node was created at the target or below it since the first task
// started. It runs before documents are stored.
//
// After the documents were withdrawn, a slow process of the plan may have stored some of them
// again.
func (t *Target) Alone(ctx context.Context, withdrawn bool) error {
	keys := t.All()
	if withdrawn {
		var others []string
		for _, key := range keys {
			if doc, planned := t.Texts[key]; planned {
				if is, _, err := t.Holds(ctx, key, doc); err != nil {
					return err
				} else if is {
					continue
				}
			}
			others = append(others, key)
		}
		keys = others
	}
	if err := t.Absent(ctx, keys); err != nil {
		return err
	}
	groups, nodes := t.groups()
	return concurrency.EachN(ctx, store.TuningOf(t.Store).Requests, len(groups), func(ctx context.Context, i int) error {
		return t.noOthers(ctx, groups[i], nodes)
	})
}

// groups returns the paths of the plan's groups at or below the target, and the set of the paths of
// all its nodes there.
func (t *Target) groups() (groups []string, nodes map[string]bool) {
	nodes = map[string]bool{}
	for _, key := range t.Within() {
		at := node.PathOf(key)
		nodes[at] = true
		switch path.Base(key) {
		case ".zgroup":
			groups = append(groups, at)
		case "zarr.json":
			kind, err := meta.Member(key, []byte(t.Texts[key]), "node_type")
			if err == nil && string(kind) == `"group"` {
				groups = append(groups, at)
			}
		}
	}
	return groups, nodes
}

// noOthers checks that all members of a group are planned. nodes are the paths of the planned
// nodes. It returns fault.Exists if there is another node.
func (t *Target) noOthers(ctx context.Context, group string, nodes map[string]bool) error {
	for e, err := range store.Pages(ctx, t.Store, group, store.ListOptions{Depth: store.OneLevel}) {
		switch {
		case errors.Is(err, errors.ErrUnsupported), errors.Is(err, fault.Refused):
			return nil // members cannot be found without a listing
		case err != nil:
			return err
		case !e.Dir || nodes[e.Key] || e.Key == Dir(t.Target):
			continue
		}
		switch _, err := zarr.Open(ctx, t.Store, e.Key, zarr.IgnoreConsolidated()); {
		case errors.Is(err, fault.NotFound), errors.Is(err, fault.Refused):
		case err != nil && !errors.As(err, new(*fault.MetaError)):
			return err
		default:
			return fault.Newf(fault.Exists, "the target contains another node at %q", e.Key)
		}
	}
	return nil
}

// Free checks that no other array was created at the path of an array after the first task of the
// plan started. It returns fault.Exists otherwise. It runs once for each array, before the process
// first writes to the array. Concurrent tasks share the check.
func (t *Target) Free(ctx context.Context, path string) error {
	return t.checked.Do(ctx, path, func(ctx context.Context) error {
		for _, name := range []string{node.ZarrJSON, node.ZArray} {
			key := node.Join(path, name)
			if _, planned := t.Texts[key]; planned {
				if err := t.Absent(ctx, []string{key}); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Publish stores the documents of the plan. As zarr.Create, it creates the groups above the target
// first, and looks for documents of nodes of other formats and kinds at the same paths afterwards.
// Of several creators of a path at most one succeeds. publish returns fault.Exists if the target
// must be withdrawn.
func (t *Target) Publish(ctx context.Context) error {
	hold, err := t.groupsAbove(ctx)
	if err != nil {
		return err
	}
	var founding []string
	for _, key := range t.Ordered() {
		if founds := node.Founds(path.Base(key)); founds && !t.Archive {
			if node.IsAbove(node.PathOf(key), t.Target) {
				continue // groupsAbove has created it
			}
			founding = append(founding, key)
		}
		if err := t.Put(ctx, key); err != nil {
			return err
		}
	}
	err = t.Each(ctx, founding, func(ctx context.Context, key string) error {
		return t.node(node.PathOf(key)).Met(ctx, path.Base(key))
	})
	if err != nil {
		return err
	}
	return hold(ctx)
}

func (t *Target) node(at string) *node.Node {
	return &node.Node{Store: written.Around(t.Store), Path: at, Cfg: node.Options{MaxMetadata: MaxDocument}}
}

// groupsAbove creates the plan's groups above the target, which may not be arrays. The caller calls
// hold after it has stored the documents of the target; see [node.Node.Groups].
func (t *Target) groupsAbove(ctx context.Context) (hold func(context.Context) error, err error) {
	var keys, paths []string
	format := 3
	for _, key := range t.Ordered() {
		if name := path.Base(key); node.Founds(name) && node.IsAbove(node.PathOf(key), t.Target) && !t.Archive {
			keys, paths = append(keys, key), append(paths, node.PathOf(key))
			if name == node.ZGroup {
				format = 2
			}
		}
	}
	hold, err = t.node("").Groups(ctx, paths, format)
	if errors.Is(err, errors.ErrUnsupported) { // the store has no conditional puts
		return func(context.Context) error { return nil }, t.Each(ctx, keys, func(ctx context.Context, key string) error {
			return t.Put(ctx, key)
		})
	}
	return hold, err
}

// MaxDocument is the maximum size of a document in bytes. 64 MiB is more than any document in a
// store needs.
const MaxDocument = 64 << 20
