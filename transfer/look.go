package transfer

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// look checks that no node exists at or below the target. It runs after the target was claimed and
// before the first task writes. empty reports whether the target contains no objects except those
// of transfers. look returns fault.Exists if it finds a node.
func (w *Worker) look(ctx context.Context) (empty bool, err error) {
	own := join(w.p.Target.Path, dirName) + "/"
	empty = true
	for e, err := range store.ListAll(ctx, w.dst, w.p.Target.Path, store.ListOptions{}) {
		switch {
		case errors.Is(err, errors.ErrUnsupported), errors.Is(err, fault.Refused):
			return false, w.absent(ctx, w.p.documents()) // request each document instead
		case err != nil:
			return false, err
		case strings.HasPrefix(e.Key, own):
		case isNode(e.Key):
			return false, fault.Newf(fault.Exists, "the target has a node: %q exists", e.Key)
		default:
			empty = false
		}
	}
	if !store.ListingsOf(w.dst).Complete {
		if err := w.absent(ctx, w.p.within()); err != nil {
			return false, err
		}
	}
	if at := nodeOf(w.last()); !slices.ContainsFunc(w.p.within(), func(key string) bool { return nodeOf(key) != at }) {
		w.saw(at) // the only node: its first task follows at once
	}
	return empty, nil
}

// within returns the keys of the plan's documents at or below the target, in the order of ordered.
func (p *Plan) within() []string {
	return slices.DeleteFunc(p.ordered(), func(key string) bool { return above(nodeOf(key), p.Target.Path) })
}

// each calls f concurrently for all keys.
func (w *Worker) each(ctx context.Context, keys []string, f func(ctx context.Context, key string) error) error {
	return concurrency.EachN(ctx, store.TuningOf(w.dst).Requests, len(keys), func(ctx context.Context, i int) error { return f(ctx, keys[i]) })
}

// isNode reports whether key is the key of a document that makes its directory a node.
func isNode(key string) bool {
	switch path.Base(key) {
	case "zarr.json", ".zarray", ".zgroup":
		return true
	}
	return false
}

// documents returns the keys of the plan's documents at or below the target, and of the documents
// of both formats that would create a node at the same paths. It omits a document of the other
// format if its key is the path of a node of the plan. In a directory such a key is not a value.
func (p *Plan) documents() []string {
	all := map[string]bool{}
	_, nodes := p.groups()
	for _, key := range p.within() {
		all[key] = true
		for _, name := range []string{"zarr.json", ".zarray", ".zgroup"} {
			if other := join(nodeOf(key), name); !nodes[other] {
				all[other] = true
			}
		}
	}
	return slices.Collect(maps.Keys(all))
}

// absent checks that none of the keys exists. It returns fault.Exists otherwise.
func (w *Worker) absent(ctx context.Context, keys []string) error {
	return w.each(ctx, keys, func(ctx context.Context, key string) error {
		_, found, err := w.holds(ctx, key, nil)
		if err == nil && found {
			err = another(key)
		}
		return err
	})
}

// another returns the error for a target with another document under key.
func another(key string) error {
	return fault.Newf(fault.Exists, "another document is stored at %q", key)
}

// alone checks that no other node was created at the target or below it since the first task
// started. It runs before documents are stored.
//
// After the documents were withdrawn, a slow process of the plan may have stored some of them
// again.
func (w *Worker) alone(ctx context.Context, c *claim) error {
	keys := w.p.documents()
	if c.Turn > 0 {
		var others []string
		for _, key := range keys {
			if doc, planned := w.p.Documents.Target[key]; planned {
				if is, _, err := w.holds(ctx, key, []byte(doc)); err != nil {
					return err
				} else if is {
					continue
				}
			}
			others = append(others, key)
		}
		keys = others
	}
	if err := w.absent(ctx, keys); err != nil {
		return err
	}
	groups, nodes := w.p.groups()
	return concurrency.EachN(ctx, store.TuningOf(w.dst).Requests, len(groups), func(ctx context.Context, i int) error {
		return w.noOthers(ctx, groups[i], nodes)
	})
}

// groups returns the paths of the plan's groups at or below the target, and the set of the paths of
// all its nodes there.
func (p *Plan) groups() (groups []string, nodes map[string]bool) {
	nodes = map[string]bool{}
	for _, key := range p.within() {
		at := nodeOf(key)
		nodes[at] = true
		switch path.Base(key) {
		case ".zgroup":
			groups = append(groups, at)
		case "zarr.json":
			kind, err := meta.Member(key, []byte(p.Documents.Target[key]), "node_type")
			if err == nil && string(kind) == `"group"` {
				groups = append(groups, at)
			}
		}
	}
	return groups, nodes
}

// noOthers checks that all members of a group are planned. nodes are the paths of the planned
// nodes. It returns fault.Exists if there is another node.
func (w *Worker) noOthers(ctx context.Context, group string, nodes map[string]bool) error {
	for e, err := range store.Pages(ctx, w.dst, group, store.ListOptions{Depth: store.OneLevel}) {
		switch {
		case errors.Is(err, errors.ErrUnsupported), errors.Is(err, fault.Refused):
			return nil // members cannot be found without a listing
		case err != nil:
			return err
		case !e.Dir || nodes[e.Key] || e.Key == join(w.p.Target.Path, dirName):
			continue
		}
		switch _, err := zarr.Open(ctx, w.dst, e.Key, zarr.IgnoreConsolidated()); {
		case errors.Is(err, fault.NotFound), errors.Is(err, fault.Refused):
		case err != nil && !errors.As(err, new(*fault.MetaError)):
			return err
		default:
			return fault.Newf(fault.Exists, "the target contains another node at %q", e.Key)
		}
	}
	return nil
}

// saw records that no other array is at a path of the target.
func (w *Worker) saw(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[path] = true
}

// free checks that no other array was created at the path of array a after the first task of the
// plan started. It returns fault.Exists otherwise. It runs once for each array, before the process
// first writes to the array. Concurrent tasks share the check.
func (w *Worker) free(ctx context.Context, a *Array) error {
	if a.In != Target {
		return nil
	}
	_, _, err := w.looks.Do(ctx, a.Path, func(ctx context.Context) (struct{}, error) {
		w.mu.Lock()
		known := w.seen[a.Path]
		w.mu.Unlock()
		if known {
			return struct{}{}, nil
		}
		for _, name := range []string{"zarr.json", ".zarray"} {
			key := join(a.Path, name)
			if _, planned := w.p.Documents.Target[key]; !planned {
				continue
			}
			if _, found, err := w.holds(ctx, key, nil); err != nil || found {
				if found {
					err = another(key)
				}
				return struct{}{}, err
			}
		}
		w.saw(a.Path)
		return struct{}{}, nil
	})
	return err
}

// documentsStored reports whether the target has all documents of the plan. A target with all
// documents and without a claim is a complete copy whose claim was removed. documentsStored returns
// fault.Exists if a document differs: the target is another node, or the copy was changed
// afterwards.
func (w *Worker) documentsStored(ctx context.Context) (bool, error) {
	last := w.last()
	is, found, err := w.holds(ctx, last, []byte(w.p.Documents.Target[last]))
	if !found || err != nil {
		return false, err
	}
	if !is {
		return false, another(last)
	}
	return true, w.each(ctx, w.p.within(), func(ctx context.Context, key string) error {
		is, _, err := w.holds(ctx, key, []byte(w.p.Documents.Target[key]))
		if err == nil && !is {
			err = another(key)
		}
		return err
	})
}
