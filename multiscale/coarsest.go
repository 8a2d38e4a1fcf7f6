package multiscale

import (
	"math"
	"slices"

	"github.com/zargo-io/zargo/crs"
)

// Spatial returns the indices of the axes of type "space". If no axis has this type, it returns the
// indices of all axes.
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
// or nil if it is unknown. If all levels have a spatial:transform, the distances are between rows
// and between columns, in units of the coordinate reference system. Otherwise they are the absolute
// elements of Scale for the spatial axes.
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
		out[i] = math.Abs(l.Scale[axis])
	}
	return out
}

// placed reports whether all levels have a transformation to coordinates.
func (p Pyramid) placed() bool {
	return len(p.Levels) > 0 && !slices.ContainsFunc(p.Levels, func(l Level) bool {
		return l.Grid == nil || l.Grid.Transform == crs.Affine{}
	})
}

// slack is the relative difference that Coarsest ignores. It covers the rounding errors of scales,
// which are products of stored numbers.
const slack = 1e-9

// Coarsest returns the coarsest level whose [Pyramid.Resolution] does not exceed the wanted
// resolution along any spatial axis. The wanted resolution is one number for all spatial axes, or
// one number for each of them. Coarsest skips levels of unknown resolution.
//
// If all levels are coarser, or the number of arguments is wrong, it returns the finest level and
// false. If no level has a known resolution, it returns the zero value and false.
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
