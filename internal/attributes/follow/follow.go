package follow

import (
	"context"
	"errors"
	"maps"
	gopath "path"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/internal/attributes/derived"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// Change is an array after a change of its shape or of its elements.
type Change struct {
	Array *zarr.Array
	Was   []int // shape before the change; nil if only elements were written
	Same  bool  // the array did not change; the same attributes of the group may describe it
	// Inside means that the extent of the coordinates did not change. Attributes of groups state
	// that extent, such as time_coverage_end.
	Inside bool
}

// Written returns the change of an array whose elements are written, and reports whether an
// attribute of the array describes them.
func Written(a *zarr.Array) (Change, bool) {
	c := Change{Array: a}
	changed, _ := derived.Attributes([]derived.Node{c.node(a)})
	return c, len(changed) > 0
}

// describes reports whether attributes of a group may describe the grid of the arrays below it.
func describes(g *zarr.Group) bool {
	for name := range g.Attrs() {
		for _, prefix := range []string{"spatial:", "proj:", "multiscales", "ome"} {
			if strings.HasPrefix(strings.ToLower(name), prefix) {
				return true
			}
		}
	}
	return false
}

// Result is what became of the attributes.
type Result struct {
	// Dropped are the attributes that could not be kept true. Paths are relative to the group of
	// the first array. The path of a group above that group begins with a slash.
	Dropped []derived.Dropped
	// Unread are the errors of nodes that could not be read, so that attributes of groups may be
	// untrue.
	Unread []error
}

// attempts is the maximum number of attempts to change the attributes of a node. An attempt fails
// if another process changes its document at the same time.
const attempts = 100

// Attributes changes the attributes of the arrays, and of the groups above them. It sends no
// request if no attribute describes what has changed. It updates the consolidated metadata of the
// groups above.
func Attributes(ctx context.Context, groups []*zarr.Group, changes ...Change) (r Result, err error) {
	if len(changes) == 0 {
		return r, nil
	}
	t := &tree{at: map[string]zarr.Node{}}
	for _, c := range changes {
		t.add(c)
	}
	for _, g := range groups {
		t.at[g.Path()] = g
		t.nodes = append(t.nodes, derived.Node{Path: g.Path(), Attrs: g.Attrs()})
	}
	changed, dropped := derived.Attributes(t.nodes)
	for _, g := range slices.Backward(groups) { // the outermost first, which contains the others
		if _, ok := changed[g.Path()]; !ok || !describes(g) {
			continue
		}
		if r.Unread, err = t.below(ctx, g); err != nil {
			return r, err
		}
		changed, dropped = derived.Attributes(t.nodes)
		break
	}
	base := parent(changes[0].Array.Path())
	for _, d := range dropped {
		d.Path = relative(base, d.Path)
		r.Dropped = append(r.Dropped, d)
	}
	for _, path := range slices.Sorted(maps.Keys(changed)) {
		if err := t.store(ctx, t.at[path]); err != nil && !errors.Is(err, errors.ErrUnsupported) { // a store without versions
			return r, err
		}
	}
	return r, nil
}

// Above opens the groups above a node from their own documents, from the inside out, and adds them
// to the [node.Known] of the context. It returns the errors of groups that could not be read.
// On some stores a group that does not exist is among them, because a client without permission to
// list is refused what does not exist.
func Above(ctx context.Context, n zarr.Node) (groups []*zarr.Group, unread []error, err error) {
	st, opts := n.(interface{ Store() store.Store }).Store(), n.(interface{ Options() []zarr.Option }).Options()
	for path := n.Path(); path != ""; {
		path = parent(path)
		g, err := zarr.OpenGroup(node.Expecting(ctx, n.Format()), st, path, append(slices.Clone(opts), zarr.IgnoreConsolidated())...)
		switch {
		case err == nil:
			node.KnownIn(ctx).Add(node.Of(g))
			groups = append(groups, g)
		case errors.Is(err, fault.NotFound):
		case unreadable(err):
			unread = append(unread, err)
		default:
			return groups, unread, err
		}
	}
	return groups, unread, nil
}

// unreadable reports whether a node cannot be read although the store can be reached.
func unreadable(err error) bool {
	return errors.Is(err, fault.Refused) || errors.Is(err, fault.Metadata) || errors.Is(err, errors.ErrUnsupported)
}

// relative returns a path relative to base, or with a slash before it if it is not below base.
func relative(base, path string) string {
	if path == base || base == "" {
		return strings.TrimPrefix(path, base)
	}
	if below, ok := strings.CutPrefix(path, base+"/"); ok {
		return below
	}
	return "/" + path
}

func parent(path string) string { return strings.TrimPrefix(gopath.Dir("/"+path), "/") }

// tree is the changed arrays and the nodes that their attributes or positions concern.
type tree struct {
	nodes []derived.Node
	at    map[string]zarr.Node
}

func (t *tree) add(c Change) {
	t.at[c.Array.Path()] = c.Array
	t.nodes = append(t.nodes, c.node(c.Array))
}

// below adds all other arrays below a group, because the same attributes may describe them.
func (t *tree) below(ctx context.Context, g *zarr.Group) (unread []error, err error) {
	for n, err := range g.Walk(ctx) {
		switch {
		case err != nil && unreadable(err):
			unread = append(unread, err)
			continue
		case err != nil:
			return unread, err
		}
		if a, ok := n.(*zarr.Array); ok && t.at[a.Path()] == nil {
			t.add(Change{Array: a, Same: true})
		}
	}
	return unread, nil
}

// store changes the attributes of a node.
func (t *tree) store(ctx context.Context, n zarr.Node) error {
	i := slices.IndexFunc(t.nodes, func(d derived.Node) bool { return d.Path == n.Path() })
	for attempt := 1; ; attempt++ {
		t.nodes[i].Attrs = n.Attrs()
		changed, _ := derived.Attributes(t.nodes)
		attrs, ok := changed[n.Path()]
		if !ok {
			return nil
		}
		var err error
		var st store.Store
		var opts []zarr.Option
		var now zarr.Node
		switch n := n.(type) {
		case *zarr.Array:
			st, opts = n.Store(), n.Options()
			now, err = n.SetAttrs(ctx, attrs)
		case *zarr.Group:
			st, opts = n.Store(), n.Options()
			now, err = n.SetAttrs(ctx, attrs)
		}
		if err == nil {
			node.KnownIn(ctx).Forget() // the groups above may change too
			_, err = upkeep.UpdateParents(ctx, now)
			return err
		}
		if !errors.Is(err, fault.Conflict) || attempt == attempts {
			return err
		}
		if n, err = zarr.Open(ctx, st, n.Path(), append(slices.Clone(opts), zarr.IgnoreConsolidated())...); err != nil {
			return err
		}
	}
}

// node describes the change of an array, which may have other attributes now.
func (c Change) node(a *zarr.Array) derived.Node {
	n := derived.Node{Path: c.Array.Path(), Array: true, Attrs: a.Attrs(), Values: !c.Same, Inside: c.Inside}
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
