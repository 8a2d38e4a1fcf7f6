package dataset

import (
	"path"

	"github.com/zargo-io/zargo/crs"
)

// CRS returns the coordinate reference system and the transformation to coordinates of the stored
// array, from its attributes, those of the grid mapping variable and those of the group. It sends
// no request. The Grid of the result describes the stored array, not the selection.
func (v *Variable) CRS() crs.Reference {
	if v.zero() {
		return crs.Reference{}
	}
	a, dims, d := v.stored.array, v.stored.dims, v.dataset
	n := crs.Node{
		Array: true, Attrs: a.Attrs(), Dims: dims, Shape: a.Shape()[:len(dims)],
		Var: func(name string) (map[string]any, bool) {
			s, ok := d.vars[name]
			if !ok {
				return nil, false
			}
			return s.array.Attrs(), true
		},
	}
	if d.group != nil && path.Dir("/"+a.Path()) == path.Join("/", d.group.Path()) { // not a coordinate of a group above
		n.Parent = d.group.Attrs()
	}
	return crs.Read(n)
}
