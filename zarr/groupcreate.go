package zarr

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// OpenOrCreateGroup opens the group at path if it and its arrays exist, and creates what is missing
// of them, and the group's consolidated metadata. arrays are by path below the group, in its format
// unless they name one; of spec Format and Attrs are used, as for [CreateGroup].
//
//	g, err := zarr.OpenOrCreateGroup(ctx, st, "weather", zarr.Spec{}, map[string]zarr.Spec{
//		"t2m":  {Shape: []int{0, 180, 360}, Chunks: []int{24, 180, 360}, DType: dtype.Float32, Dims: []string{"time", "lat", "lon"}},
//		"time": {Shape: []int{0}, Chunks: []int{24 * 365}, DType: dtype.Int64, Dims: []string{"time"}},
//	})
//
// Any number of callers may do so at once: all of them succeed, with the same group. What a caller
// that was killed began is completed by the next one. Where everything exists it costs what
// [OpenGroup] costs.
//
// A node that exists has to agree with its Spec: ErrExists names what differs. Attributes may
// differ, as they may have been set since. An axis of length 0 in the Spec agrees with any length:
// rows may have been appended since. Nodes of the group that are not among the arrays stay as they
// are.
func OpenOrCreateGroup(ctx context.Context, st store.Store, path string, spec Spec, arrays map[string]Spec, opts ...Option) (*Group, error) {
	n, err := newNode(st, path, opts)
	if err != nil {
		return nil, err
	}
	n.cfg = n.cfg.stored()
	docs, err := groupDocs(&spec)
	if err != nil {
		return nil, n.errf(err)
	}
	specs := map[string]Spec{} // by path below the group
	for path, s := range arrays {
		p, err := meta.NormalizePath(path)
		if err == nil && p == "" {
			err = fault.Newf(fault.Selection, "an array has to have a path below the group")
		}
		if err != nil {
			return nil, n.errf(err)
		}
		if s.Format == 0 {
			s.Format = spec.Format
		}
		specs[p] = s
	}
	g, err := n.openOrCreateGroup(ctx, spec, docs)
	if err != nil {
		return nil, err
	}
	complete, err := g.has(ctx, specs)
	if err != nil || complete {
		return g, err
	}
	paths := slices.Sorted(maps.Keys(specs))
	err = concurrency.EachN(ctx, max(len(paths), 1), len(paths), func(ctx context.Context, i int) error {
		c, err := g.child(paths[i])
		if err == nil {
			err = c.openOrCreate(ctx, specs[paths[i]])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return g.Consolidate(ctx)
}

// openOrCreateGroup opens the group at a node, or creates it.
func (n node) openOrCreateGroup(ctx context.Context, spec Spec, docs document.Docs) (*Group, error) {
	for try := 1; ; try++ {
		found, err := openStored(ctx, n.st, n.path, n.cfg, document.Group)
		if errors.Is(err, fault.NotFound) {
			g, err := createGroup(ctx, n, spec)
			if errors.Is(err, fault.Exists) && try == 1 {
				continue // another caller was first
			}
			return g, err
		}
		if err != nil {
			return nil, err
		}
		g := found.(*Group)
		if g.format != spec.Format {
			return nil, n.errf(fault.Newf(fault.Exists, "the group there has another format: v%d", g.format))
		}
		put, err := n.docs().Complete(ctx, g.Source(), docs)
		if err != nil {
			return nil, n.errf(err)
		}
		if !put {
			return g, nil
		}
		found, err = openStored(ctx, n.st, n.path, n.cfg, document.Group)
		if err != nil {
			return nil, err
		}
		return found.(*Group), nil
	}
}

// has reports whether consolidated metadata has all arrays, and checks that they agree with their
// Specs.
func (g *Group) has(ctx context.Context, specs map[string]Spec) (bool, error) {
	c, err := g.copied(ctx)
	if err != nil || c.nodes == nil {
		return false, err
	}
	for path, spec := range specs {
		m, ok := c.nodes[path].(*meta.Array)
		if !ok {
			return false, nil
		}
		n, err := g.child(path)
		if err == nil {
			err = n.agrees(m, spec)
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// agrees checks that an array that exists is as a Spec says.
func (n *node) agrees(m *meta.Array, spec Spec) error {
	for i, length := range spec.Shape {
		if length == 0 && i < len(m.Shape) && len(m.Shape) == len(spec.Shape) {
			spec.Shape = slices.Clone(spec.Shape)
			spec.Shape[i] = m.Shape[i]
		}
	}
	want, err := spec.model(n.cfg)
	if err != nil {
		return n.errf(err)
	}
	if diff := m.Difference(want); diff != "" {
		return n.errf(fault.Newf(fault.Exists, "the array there has another %s", diff))
	}
	return nil
}

// openOrCreate creates an array, unless one is there that agrees.
func (n node) openOrCreate(ctx context.Context, spec Spec) error {
	_, exists := create(ctx, n, spec, n.docs().Free)
	if !errors.Is(exists, fault.Exists) {
		return exists
	}
	found, err := openStored(ctx, n.st, n.path, n.cfg, document.Array)
	if errors.Is(err, fault.NotFound) {
		return exists // something else is there
	}
	if err != nil {
		return err
	}
	a := found.(*Array)
	if err := n.agrees(a.meta, spec); err != nil {
		return err
	}
	m, err := spec.model(n.cfg)
	if err != nil {
		return n.errf(err)
	}
	docs, err := document.OfArray(m)
	if err == nil {
		_, err = n.docs().Complete(ctx, a.Source(), docs)
	}
	if err != nil {
		return n.errf(err)
	}
	return nil
}
