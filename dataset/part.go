package dataset

import (
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// OpenArray returns an array as a variable without coordinates. Unlike [Open], it does not open the
// group of the array. Dimensions without names are called dim_0, dim_1, …. It sends no request. The
// errors are those of cf.New.
func OpenArray(a *zarr.Array, o Options) (*Variable, error) {
	if a == nil {
		return nil, fault.Newf(fault.Selection, "the array of a variable is nil")
	}
	d := newDataset(nil, o)
	d.add(a)
	if err := d.decode(a.Name(), nil); err != nil {
		return nil, err
	}
	d.characters()
	if _, err := d.dimensions(""); err != nil {
		return nil, err
	}
	return &Variable{d, a.Name(), d.vars[a.Name()]}, nil
}

// Sel returns the variable with a selection of its elements, as [Dataset.Sel] does.
func (v *Variable) Sel(q ...Query) (*Variable, error) {
	if err := v.usable(); err != nil {
		return nil, err
	}
	d, err := v.dataset.Sel(q...)
	if err != nil {
		return nil, err
	}
	return &Variable{d, v.name, v.stored}, nil
}

// Coord returns the index coordinate of a dimension, with the same selection as the variable. It
// reports false if the dimension has no coordinate.
func (v *Variable) Coord(dim string) (*Variable, bool) {
	if v.zero() {
		return nil, false
	}
	s, ok := v.dataset.vars[dim]
	if _, labels := v.dataset.index[dim]; !ok || !labels || !s.indexes(dim) {
		return nil, false
	}
	return &Variable{v.dataset, dim, s}, true
}

// Axis returns the axis of the stored array that the dimension dim of the variable belongs to, and
// a function that returns the position along this axis of the i-th selected element. It reports
// false for a dimension of points, and for one that the variable does not have.
func (v *Variable) Axis(dim string) (axis int, position func(i int) int, ok bool) {
	if v.zero() {
		return 0, nil, false
	}
	for i, name := range v.stored.dims {
		if name != dim {
			continue
		}
		a, chosen := v.dataset.chosen[name]
		switch {
		case !chosen:
			return i, all(v.stored.array.Shape()[i]).at, true
		case !a.one && a.points == "":
			return i, a.at, true
		}
	}
	return 0, nil, false
}

// Positions describes the elements that the variable selects along an axis of the stored array,
// also if the dimension is dropped: n elements from start on, at distances of step. even is false
// if the distances differ; then only n is set. It reports false for an axis whose dimension became
// points, and for one that the array does not have.
func (v *Variable) Positions(axis int) (start, step, n int, even, ok bool) {
	if v.zero() || axis < 0 || axis >= len(v.stored.array.Shape()) {
		return 0, 0, 0, false, false
	}
	p := all(v.stored.array.Shape()[axis])
	if axis < len(v.stored.dims) {
		a, chosen := v.dataset.chosen[v.stored.dims[axis]]
		if chosen && a.points != "" {
			return 0, 0, 0, false, false
		}
		if chosen {
			p = a.positions
		}
	}
	if p.list != nil {
		return 0, 0, len(p.list), false, true
	}
	return p.lo, p.step, p.n, true, true
}

// where returns the path of the group for messages. It is the path of the array for an array
// without a group.
func (d *Dataset) where() string {
	if d.group != nil {
		return where(d.group.Path())
	}
	for _, s := range d.vars {
		return where(s.array.Path())
	}
	return where("")
}
