package follow

import (
	"context"
	"errors"
	"maps"
	"strings"

	"github.com/zargo-io/zargo/internal/derived"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// Change is an array after a change of its shape or of its elements.
type Change struct {
	Array *zarr.Array
	Was   []int // shape before the change; nil if only elements were written
	Same  bool  // the array did not change; the same attributes of the group may describe it
}

// Written returns the change of an array whose elements are written, and reports whether an
// attribute of the array describes them.
func Written(a *zarr.Array) (Change, bool) {
	c := Change{Array: a}
	changed, _ := derived.Attributes([]derived.Node{c.node(a)})
	return c, len(changed) > 0
}

// Describes reports whether attributes of a group may describe the grid of its arrays.
func Describes(g *zarr.Group) bool {
	for name := range g.Attrs() {
		for _, prefix := range []string{"spatial:", "proj:", "multiscales", "ome"} {
			if strings.HasPrefix(strings.ToLower(name), prefix) {
				return true
			}
		}
	}
	return false
}

// attempts is the maximum number of attempts to change the attributes of a node. An attempt fails
// if another process changes its document at the same time.
const attempts = 100

// Attributes changes the attributes of the arrays, and of the group g that contains them if it is
// not nil. It sends no request if no attribute describes what has changed. It updates the
// consolidated metadata of the groups above. It returns the dropped attributes.
func Attributes(ctx context.Context, g *zarr.Group, changes ...Change) ([]derived.Dropped, error) {
	var nodes []derived.Node
	arrays := map[string]Change{}
	for _, c := range changes {
		arrays[c.Array.Name()] = c
		nodes = append(nodes, c.node(c.Array))
	}
	if g != nil {
		nodes = append(nodes, derived.Node{Attrs: g.Attrs()})
	}
	changed, dropped := derived.Attributes(nodes)
	for name := range changed {
		c, ok := arrays[name]
		if name == "" && g != nil {
			ok = false
		}
		var err error
		if ok {
			err = c.store(ctx)
		} else {
			err = group(ctx, g, nodes)
		}
		if err != nil && !errors.Is(err, errors.ErrUnsupported) { // a store without versions
			return dropped, err
		}
	}
	return dropped, nil
}

// node describes the change of an array, which may have other attributes now.
func (c Change) node(a *zarr.Array) derived.Node {
	n := derived.Node{Path: c.Array.Name(), Array: true, Attrs: a.Attrs(), Values: !c.Same}
	shape, dims := a.Shape(), a.Dims()
	for d, now := range shape {
		dim, was := "", now
		if d < len(dims) {
			dim = dims[d]
		}
		if d < len(c.Was) {
			was = c.Was[d]
		}
		n.Axes = append(n.Axes, derived.Resized(dim, was, now))
	}
	return n
}

// store changes the attributes of an array.
func (c Change) store(ctx context.Context) error {
	a := c.Array
	for attempt := 1; ; attempt++ {
		n := c.node(a)
		changed, _ := derived.Attributes([]derived.Node{n})
		attrs, ok := changed[n.Path]
		if !ok {
			return nil
		}
		b, err := a.SetAttrs(ctx, attrs)
		if err == nil {
			return above(ctx, b)
		}
		if !errors.Is(err, fault.Conflict) || attempt == attempts {
			return err
		}
		if a, err = zarr.OpenArray(ctx, a.Store(), a.Path(), append(a.Options(), zarr.IgnoreConsolidated())...); err != nil {
			return err
		}
	}
}

// group changes the attributes of the group.
func group(ctx context.Context, g *zarr.Group, nodes []derived.Node) error {
	for attempt := 1; ; attempt++ {
		for i := range nodes {
			if !nodes[i].Array {
				nodes[i].Attrs = maps.Clone(g.Attrs())
			}
		}
		changed, _ := derived.Attributes(nodes)
		attrs, ok := changed[""]
		if !ok {
			return nil
		}
		b, err := g.SetAttrs(ctx, attrs)
		if err == nil {
			return above(ctx, b)
		}
		if !errors.Is(err, fault.Conflict) || attempt == attempts {
			return err
		}
		if g, err = zarr.OpenGroup(ctx, g.Store(), g.Path(), append(g.Options(), zarr.IgnoreConsolidated())...); err != nil {
			return err
		}
	}
}

// above updates the consolidated metadata of the groups above a node.
func above(ctx context.Context, n zarr.Node) error {
	_, err := upkeep.UpdateAbove(ctx, n)
	return err
}
