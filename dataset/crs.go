package dataset

import (
	"path"

	"github.com/zargo-io/zargo/crs"
	"github.com/zargo-io/zargo/zarr/fault"
)

// CRS returns the coordinate reference system and the transformation to coordinates of the stored
// array, from its index coordinates, its attributes, those of the grid mapping variable and those
// of the group. Index coordinates take precedence over attributes (see package crs). It sends no
// request. The Grid of the result describes the stored array, not the selection.
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
	n.Coord = d.numbers
	if d.group != nil && path.Dir("/"+a.Path()) == path.Join("/", d.group.Path()) { // not a coordinate of a group above
		n.Parent = d.group.Attrs()
	}
	return crs.Read(n)
}

// numbers returns the values of an index coordinate. It returns nil if the dimension has no
// coordinate of numbers.
func (d *Dataset) numbers(dim string) ([]float64, error) {
	s, ok := d.vars[dim]
	if !ok || !s.indexes(dim) {
		return nil, nil
	}
	x := d.index[dim]
	if err := d.refused[dim]; err != nil {
		return nil, err
	}
	if x == nil {
		return nil, fault.Newf(fault.Type, "it has no index")
	}
	out := make([]float64, x.len())
	for i := range out {
		switch label := x.label(i).(type) {
		case float64:
			out[i] = label
		case int64:
			out[i] = float64(label)
		case uint64:
			out[i] = float64(label)
		default:
			return nil, nil
		}
	}
	return out, nil
}
