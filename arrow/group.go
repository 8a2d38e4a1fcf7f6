package arrow

import (
	"slices"
	"strings"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/dataset"
)

// group is a set of dimensions, and the names of the arrays whose table it is.
type group struct {
	dims         []string // in the order of the first variable
	vars, coords []string // coords include those that name a dimension, which may be dropped later
}

// groups returns the sets of dimensions of the data variables, without those of bounds and of
// variables without dimensions, such as grid mappings.
func groups(ds *dataset.Dataset) []*group {
	var out []*group
	bounds := boundsOf(ds)
	for _, v := range ds.Vars() {
		dims := dimsOf(v)
		if len(dims) == 0 || bounds[v.Name()] {
			continue
		}
		i := slices.IndexFunc(out, func(g *group) bool { return sameSet(g.dims, dims) })
		if i < 0 {
			i, out = len(out), append(out, &group{dims: dims})
		}
		out[i].vars = append(out[i].vars, v.Name())
	}
	for _, c := range ds.Coords() {
		dims := dimsOf(c)
		if len(dims) == 0 || bounds[c.Name()] {
			continue
		}
		for _, g := range out {
			if !slices.ContainsFunc(dims, func(d string) bool { return !slices.Contains(g.dims, d) }) {
				g.coords = append(g.coords, c.Name())
			}
		}
	}
	return out
}

// table returns the table of the group.
func (g *group) table(ds *dataset.Dataset) (*Table, error) {
	return (&Table{ds: ds, names: append(g.coords, g.vars...), lead: g.vars[0]}).build()
}

// boundsOf returns the names of the arrays that contain bounds of cells: those that an attribute
// names, and those whose name ends in _bnds or _bounds and whose last dimension has the length 2.
func boundsOf(ds *dataset.Dataset) map[string]bool {
	names := map[string]bool{}
	for _, v := range append(ds.Vars(), ds.Coords()...) {
		for _, name := range cf.BoundsOf(v.Attrs()) {
			names[name] = true
		}
		shape := v.Shape()
		named := strings.HasSuffix(v.Name(), "_bnds") || strings.HasSuffix(v.Name(), "_bounds")
		if named && len(shape) > 1 && shape[len(shape)-1] == 2 {
			names[v.Name()] = true
		}
	}
	return names
}

// dimsOf returns the names of the dimensions of a variable.
func dimsOf(v *dataset.Variable) []string {
	var names []string
	for _, d := range v.Dims() {
		names = append(names, d.Name)
	}
	return names
}

// sameSet reports whether two lists have the same names in any order. Names do not repeat in a.
func sameSet(a, b []string) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(x string) bool { return !slices.Contains(b, x) })
}
