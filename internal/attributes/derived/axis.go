package derived

import (
	"slices"
	"strings"
)

// Axis describes the elements that an array keeps of one of its axes.
type Axis struct {
	Dim string // name of the dimension; or "" if it is unknown
	Now int    // length of the new array along the axis

	kind   kind
	scale  float64 // if mapped: element i is at position scale·i + offset of the old array
	offset float64
}

type kind uint8

const (
	kept    kind = iota // all elements, in their order
	mapped              // elements at equal distances, or means of windows
	longer              // the old elements and others after them
	uneven              // elements at other positions
	removed             // the new array lacks the axis
)

// Range returns an axis of which n elements were selected: start, start+step, start+2·step, … was
// is the length of the old array along the axis.
func Range(dim string, was, start, step, n int) Axis {
	if start == 0 && step == 1 && n == was {
		return Axis{Dim: dim, Now: n}
	}
	return Axis{Dim: dim, Now: n, kind: mapped, scale: float64(step), offset: float64(start)}
}

// Windows returns an axis of which each window of factor elements was reduced to one of n elements.
func Windows(dim string, factor, n int) Axis {
	if factor == 1 {
		return Axis{Dim: dim, Now: n}
	}
	return Axis{Dim: dim, Now: n, kind: mapped, scale: float64(factor), offset: float64(factor-1) / 2}
}

// Resized returns an axis whose length changed from was to n. The elements that both arrays have
// are at the same positions.
func Resized(dim string, was, n int) Axis {
	if n > was {
		return Axis{Dim: dim, Now: n, kind: longer}
	}
	return Range(dim, was, 0, 1, n)
}

// List returns an axis of which n elements were selected at positions without a common distance.
func List(dim string, n int) Axis { return Axis{Dim: dim, Now: n, kind: uneven} }

// At returns an axis of which one element was selected. The new array lacks the axis.
func At(dim string) Axis { return Axis{Dim: dim, kind: removed} }

// linear returns the positions of the elements in the old array, element i being at scale·i +
// offset. It reports false if there is no such function.
func (a Axis) linear() (scale, offset float64, ok bool) {
	switch a.kind {
	case kept, longer:
		return 1, 0, true
	case mapped:
		return a.scale, a.offset, true
	}
	return 0, 0, false
}

// place is an axis without its name, for comparisons.
func (a Axis) place() Axis {
	a.Dim = ""
	return a
}

func changed(axes []Axis) bool {
	return slices.ContainsFunc(axes, func(a Axis) bool { return a.kind != kept })
}

// The lower-case names of dimensions of which the meaning is known.
var (
	rows     = [...]string{"y", "lat", "latitude", "rlat", "northing", "nav_lat", "yc", "projection_y_coordinate"}
	cols     = [...]string{"x", "lon", "longitude", "rlon", "easting", "nav_lon", "xc", "projection_x_coordinate"}
	times    = [...]string{"time", "t", "valid_time", "date"}
	heights  = [...]string{"z", "level", "lev", "depth", "height", "altitude", "elevation", "plev", "pressure", "isobaricinhpa"}
	channels = [...]string{"band", "bands", "c", "channel", "channels", "wavelength", "rgb", "member", "realization", "ensemble", "number"}
)

func is(names []string, dim string) bool { return slices.Contains(names, strings.ToLower(dim)) }

// pair is the axes of the rows and columns of a grid.
type pair struct{ row, col Axis }

func (p pair) changed() bool { return p.row.kind != kept || p.col.kind != kept }

// same reports whether two arrays keep the same rows and columns.
func (p pair) same(q pair) bool {
	return p.row.place() == q.row.place() && p.col.place() == q.col.place()
}

// grid returns the axes of an array's grid: those with the names dims, or else those with the names
// of horizontal dimensions, or else the last two.
func grid(axes []Axis, dims []string) (pair, bool) {
	find := func(is func(Axis) bool) int { return slices.IndexFunc(axes, is) }
	if len(dims) == 2 {
		i := find(func(a Axis) bool { return a.Dim == dims[0] })
		j := find(func(a Axis) bool { return a.Dim == dims[1] })
		if i < 0 || j < 0 {
			return pair{}, false
		}
		return pair{axes[i], axes[j]}, true
	}
	i := find(func(a Axis) bool { return is(rows[:], a.Dim) })
	j := find(func(a Axis) bool { return is(cols[:], a.Dim) })
	switch n := len(axes); {
	case i >= 0 && j >= 0:
		return pair{axes[i], axes[j]}, true
	case n < 2:
		return pair{}, false
	default:
		return pair{axes[n-2], axes[n-1]}, true
	}
}
