package zarr

import (
	"fmt"
	"slices"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Selected returns the shape of the result of reading sel. It returns ErrSelection if sel does not
// fit the array.
func (a *Array) Selected(sel ...Selection) ([]int, error) {
	r, err := a.region(sel)
	if err != nil {
		return nil, err
	}
	return r.Shape(), nil
}

// region resolves the selections of a call. A selection made by [Dim] applies to the axis with its
// name, any other to the axis at its index.
func (a *Array) region(sel []Selection) (grid.Selection, error) {
	shape := a.of.Meta.Shape
	if len(sel) == 1 {
		switch s := sel[0].(type) {
		case points:
			p, err := s.points(shape, a.of.Pipe.Axes())
			if err != nil {
				return nil, a.errf(err)
			}
			return p, nil
		case mask:
			if s.whole(shape) {
				return s.points(shape, a.of.Pipe.Axes()), nil
			}
		}
	} else if i := slices.IndexFunc(sel, func(s Selection) bool { _, ok := s.(points); return ok }); i >= 0 {
		return nil, a.errf(fault.Newf(fault.Selection, "%v selects along all axes, so it must be the only selection, not one of %d", sel[i], len(sel)))
	}
	if len(sel) > len(shape) {
		return nil, a.errf(fault.Newf(fault.Selection, "the array has rank %d, but %d selections were passed", len(shape), len(sel)))
	}
	r := grid.Whole(shape)
	taken := make([]bool, len(shape))
	for i, s := range sel {
		if s == nil {
			return nil, a.errf(fault.Newf(fault.Selection, "selection %d is nil", i))
		}
		k := i
		if d, ok := s.(dim); ok {
			var err error
			if k, err = a.axisOf(d.name); err != nil {
				return nil, a.errf(err)
			}
		}
		if taken[k] {
			return nil, a.errf(fault.Newf(fault.Selection, "axis %d is selected twice", k))
		}
		taken[k] = true
		g, err := s.resolve(axis{shape[k], a.blocks[k]})
		if err != nil {
			return nil, a.errf(fmt.Errorf("axis %d: %w", k, err))
		}
		r[k] = g
	}
	return r, nil
}
