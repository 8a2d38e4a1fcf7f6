package multiscale

import (
	"slices"

	"github.com/zargo-io/zargo/crs"
)

// Spatial returns the indices of the spatial axes: those of the type "space", else all axes.
func (p Pyramid) Spatial() []int {
	var out, all []int
	for i, a := range p.Axes {
		if all = append(all, i); a.Type == "space" {
			out = append(out, i)
		}
	}
	if out == nil {
		return all
	}
	return out
}

// Resolution returns the distance between neighboring elements of a level along each spatial axis,
// or nil if it is unknown. It is in units of the coordinate reference system if all levels have a
// spatial:transform, in the order of the dimensions of the rows and columns. Otherwise it is Scale
// of the spatial axes.
func (p Pyramid) Resolution(l Level) []float64 {
	if p.placed() {
		if l.Grid == nil {
			return nil
		}
		col, row := l.Grid.Transform.Resolution()
		return []float64{row, col}
	}
	if l.Scale == nil {
		return nil
	}
	axes := p.Spatial()
	out := make([]float64, len(axes))
	for i, axis := range axes {
		if axis >= len(l.Scale) {
			return nil
		}
		out[i] = l.Scale[axis]
	}
	return out
}

// placed reports whether all levels have a transformation to coordinates.
func (p Pyramid) placed() bool {
	return len(p.Levels) > 0 && !slices.ContainsFunc(p.Levels, func(l Level) bool {
		return l.Grid == nil || l.Grid.Transform == crs.Affine{}
	})
}

// slack is the relative difference that Coarsest ignores. Scales are products of numbers with up to
// 17 digits.
const slack = 1e-9

// Coarsest returns the coarsest level whose elements are at most as far apart as the wanted
// resolution, which is in the units of [Pyramid.Resolution]. A single number holds for all spatial
// axes; otherwise there must be one for each of them. Levels of unknown resolution are skipped.
//
// If all levels are coarser, or the wanted resolution has a wrong number of elements, it returns
// the finest level and false. It returns the zero value and false if no level has a known
// resolution.
func (p Pyramid) Coarsest(resolution ...float64) (Level, bool) {
	best, finest := -1, -1
	var bestSize, finestSize float64
	for i, l := range p.Levels {
		r := p.Resolution(l)
		if len(r) == 0 {
			continue
		}
		size := 1.0
		for _, x := range r {
			size *= x
		}
		if finest < 0 || size < finestSize {
			finest, finestSize = i, size
		}
		if fine(r, resolution) && (best < 0 || size > bestSize) {
			best, bestSize = i, size
		}
	}
	switch {
	case best >= 0:
		return p.Levels[best], true
	case finest >= 0:
		return p.Levels[finest], false
	}
	return Level{}, false
}

// fine reports whether a resolution is at least as fine as the wanted one along every axis.
func fine(r, wanted []float64) bool {
	if len(wanted) != 1 && len(wanted) != len(r) {
		return false
	}
	for i, x := range r {
		w := wanted[0]
		if len(wanted) > 1 {
			w = wanted[i]
		}
		if !(x <= w*(1+slack)) {
			return false
		}
	}
	return true
}
