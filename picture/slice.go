package picture

import (
	"math"
	"slices"
)

// Slice is a rectangle of values, one for each pixel of a map, and the labels of its axes. [Read]
// returns the Slice of a variable. Only Values, Height and Width are required.
type Slice struct {
	Values        []float64 // Height rows of Width values; NaN is a missing value
	Height, Width int
	Y, X          Axis   // of the rows and of the columns
	Title         string // for example "t2m (K)"
}

// Axis describes the rows or columns of a [Slice].
type Axis struct {
	Name   string    // for example "lat"
	Units  string    // CF units, such as "degrees_north"
	Coords []float64 // the coordinate of each row or column; nil means 0, 1, 2, …
	Labels []string  // the text of each row or column, such as a date; it replaces Coords
}

// latitude reports whether the coordinates are degrees of latitude (CF conventions, section 4.1).
func (a Axis) latitude() bool { return a.degrees("north", "N", "lat", "latitude") }

// longitude reports whether the coordinates are degrees of longitude (CF conventions, section 4.2).
func (a Axis) longitude() bool { return a.degrees("east", "E", "lon", "longitude") }

// degrees reports whether the units are degrees towards a direction, or the axis has one of the names
// and no other units.
func (a Axis) degrees(to, letter string, names ...string) bool {
	switch a.Units {
	case "degrees_" + to, "degree_" + to, "degree_" + letter, "degrees_" + letter, "degree" + letter, "degrees" + letter:
		return true
	case "", "degrees":
		return slices.Contains(names, a.Name)
	}
	return false
}

// sorted reports whether the axis has n finite coordinates in strictly increasing or decreasing
// order.
func (a Axis) sorted(n int) bool {
	if len(a.Coords) != n {
		return false
	}
	for i, x := range a.Coords {
		if !finite(x) || i > 0 && (x == a.Coords[i-1] || x > a.Coords[i-1] != (a.Coords[1] > a.Coords[0])) {
			return false
		}
	}
	return true
}

// shown returns the axis with the coordinates that n rows or columns are drawn at. Longitudes that
// cross 360 or 180 degrees continue beyond them. Coordinates that are not sorted are replaced by
// positions, which are not degrees.
func (a Axis) shown(n int) Axis {
	if a.sorted(n) || len(a.Labels) == n {
		return a
	}
	if a.longitude() && len(a.Coords) == n {
		on := a
		on.Coords = slices.Clone(a.Coords)
		for i := 1; i < n; i++ {
			on.Coords[i] = nearTurn(on.Coords[i], on.Coords[i-1])
		}
		if on.sorted(n) {
			return on
		}
	}
	if len(a.Coords) > 0 {
		a.Units = "position"
	}
	a.Coords = positions(n)
	return a
}

// nearTurn returns the longitude x plus the multiple of 360 degrees that is nearest to another
// longitude.
func nearTurn(x, to float64) float64 {
	if d := x - to; math.Abs(d) > 180 && finite(d) {
		return x - 360*math.Round(d/360)
	}
	return x
}

// positions returns the numbers of n rows or columns.
func positions(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(i)
	}
	return out
}

// reversed returns the axis in the opposite order.
func (a Axis) reversed() Axis {
	a.Coords, a.Labels = backward(a.Coords), backward(a.Labels)
	return a
}

func backward[T any](s []T) []T {
	out := make([]T, len(s))
	for i, v := range s {
		out[len(s)-1-i] = v
	}
	return out
}
