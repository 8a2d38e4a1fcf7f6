package crs

import (
	"math"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/internal/attributes/convention"
)

// coordinates compares the grids with the index coordinates of the array. As in rioxarray and GDAL,
// the coordinates take precedence over a transformation. If they disagree with the first grid, or
// no source has a transformation, coordinates inserts a grid before the others.
func (r *reader) coordinates() {
	n := r.node
	if !n.Array || n.Coord == nil {
		return
	}
	base := &Grid{Registration: PixelRegistration}
	if len(r.grids) > 0 {
		base = r.grids[0]
	}
	placed := base.Transform != (Affine{})
	if placed && (base.Transform[1] != 0 || base.Transform[3] != 0) {
		return // the coordinates of a rotated grid have two dimensions
	}
	dims, ok := r.gridDims(base)
	if !ok {
		return
	}
	g := &Grid{Dims: dims, Type: "affine", Registration: base.Registration, Source: FromCoordinates}
	var first, step [2]float64
	for i, dim := range dims {
		values, err := n.Coord(dim)
		if err != nil {
			r.about(dim, func(f *convention.Findings) {
				f.Add("", "the coordinate cannot be read, so it was not compared with the grid: %v", err)
			})
			return
		}
		axis := slices.Index(n.Dims, dim)
		if len(values) == 0 || axis < 0 || axis >= len(n.Shape) || n.Shape[axis] != len(values) {
			return
		}
		if unwritten(values) {
			return
		}
		first[i], g.Shape[i] = values[0], len(values)
		if step[i], ok = distance(values); ok {
			continue
		}
		if step[i] = base.Transform[4-4*i]; !placed { // of the rows, and of the columns
			return
		}
		if at := outside(values, step[i]); at >= 0 && len(values) > 1 {
			r.about(dim, func(f *convention.Findings) {
				f.Add("", "the coordinates are not at equal distances: element %d is at %v, and the grid from %s has it at %v", at, values[at], base.Source, values[0]+float64(at)*step[i])
			})
		}
	}
	half := g.half()
	t := Affine{step[1], 0, first[1] - half*step[1], 0, step[0], first[0] - half*step[0]}
	if _, ok := t.Inverse(); !ok {
		return
	}
	g.Transform = t
	switch {
	case !placed:
		r.about("", func(f *convention.Findings) {
			g.BBox = base.BBox
			r.bbox(g, f)
		})
	case near(g, base):
		return
	}
	if placed && base.Source == FromGroupSpatial { // compareGrids skips it
		r.about("..", func(f *convention.Findings) {
			f.Add(convention.Pointer("spatial:transform"), "is %v, and the coordinates have the transformation %v, which is used", base.Transform, t)
		})
	}
	r.grids = append([]*Grid{g}, r.grids...)
}

// The lower-case names of the dimensions of rows and columns.
var (
	rowNames = [...]string{"y", "lat", "latitude", "rlat", "northing", "yc", "nav_lat", "projection_y_coordinate"}
	colNames = [...]string{"x", "lon", "longitude", "rlon", "easting", "xc", "nav_lon", "projection_x_coordinate"}
)

// regular is the maximum distance between a coordinate and its place in a regular grid, in
// elements. It covers the rounding of coordinates in float32, such as longitudes at a distance of
// 0.01°.
const regular = 0.01

// gridDims returns the dimensions of the rows and columns: those of the grid, or those with
// horizontal names, or the last two of an array with a coordinate reference system.
func (r *reader) gridDims(base *Grid) (dims [2]string, ok bool) {
	n := r.node
	if base.Dims[0] != "" && base.Dims[1] != "" {
		return base.Dims, true
	}
	find := func(names []string) int {
		return slices.IndexFunc(n.Dims, func(dim string) bool { return slices.Contains(names, strings.ToLower(dim)) })
	}
	row, col := find(rowNames[:]), find(colNames[:])
	switch last := len(n.Dims); {
	case row >= 0 && col >= 0:
		dims = [2]string{n.Dims[row], n.Dims[col]}
	case len(r.systems) > 0 && last >= 2:
		dims = [2]string(n.Dims[last-2:])
	}
	return dims, dims[0] != "" && dims[1] != "" && dims[0] != dims[1]
}

// distance returns the distance of coordinates. It reports false for a single coordinate, and for
// coordinates at different distances.
func distance(values []float64) (float64, bool) {
	last := len(values) - 1
	if last < 1 {
		return 0, false
	}
	step := (values[last] - values[0]) / float64(last)
	if step == 0 || math.IsNaN(step) || math.IsInf(step, 0) {
		return 0, false
	}
	for i, v := range values {
		if !(math.Abs(v-values[0]-float64(i)*step) <= regular*math.Abs(step)) {
			return 0, false
		}
	}
	return step, true
}

// unwritten reports whether the values of a coordinate are missing or all equal, as in an array
// whose elements are the fill value.
func unwritten(values []float64) bool {
	return len(values) > 0 && math.IsNaN(values[0]) ||
		len(values) > 1 && !slices.ContainsFunc(values, func(v float64) bool { return v != values[0] })
}

// outside returns the index of the first coordinate that is not within its element of a grid, or
// -1. The last element of a level of a pyramid may have fewer windows than the others, so its
// center is elsewhere.
func outside(values []float64, step float64) int {
	for i, v := range values {
		if !(math.Abs(v-values[0]-float64(i)*step) < math.Abs(step)/2) {
			return i
		}
	}
	return -1
}
