package crs

import (
	"math"
	"slices"
)

// Registration determines which point of an element the transformation of a grid describes.
type Registration string

// The registrations of a grid.
const (
	PixelRegistration Registration = "pixel" // integers are the corners of elements; the default
	NodeRegistration  Registration = "node"  // integers are the centers of elements
)

// Grid maps the positions of elements along two dimensions to coordinates.
type Grid struct {
	// Dims contains the names of the row dimension and of the column dimension, such as "y" and
	// "x". The names are "" if they are unknown.
	Dims [2]string

	// Shape contains the number of rows and the number of columns. A number is 0 if it is unknown.
	Shape [2]int

	// Transform maps columns and rows to coordinates. It is the zero value if the source lacks an
	// affine transformation.
	Transform Affine

	// Type is the value of spatial:transform_type. Transform is zero if it is not "affine".
	Type string

	Registration Registration

	// BBox contains the stored bounding box xmin, ymin, xmax and ymax; or nil.
	BBox []float64

	Source Source
}

// half returns the distance from an integer position to the center of the element, in elements.
func (g *Grid) half() float64 {
	if g.Registration == NodeRegistration {
		return 0
	}
	return 0.5
}

// At returns the coordinate of the center of an element. With PixelRegistration it is x =
// a·(col+0.5) + b·(row+0.5) + c. Row and column may be outside the array. Without a transformation,
// both coordinates are NaN.
func (g *Grid) At(row, col int) (x, y float64) {
	if g.Transform == (Affine{}) {
		return math.NaN(), math.NaN()
	}
	return g.Transform.Apply(float64(col)+g.half(), float64(row)+g.half())
}

// Index returns the row and column of a coordinate. Integers are the centers of elements, so
// rounding returns the element that contains the coordinate. Index reports false if the grid lacks
// a transformation, or the transformation is not invertible.
func (g *Grid) Index(x, y float64) (row, col float64, ok bool) {
	back, ok := g.Transform.Inverse()
	if !ok {
		return math.NaN(), math.NaN(), false
	}
	col, row = back.Apply(x, y)
	return row - g.half(), col - g.half(), true
}

// Extent returns the bounding box xmin, ymin, xmax and ymax of the grid, as spatial:bbox defines
// it. With PixelRegistration the box includes the outer elements. With NodeRegistration it ends at
// their centers. Extent computes the box from Transform and Shape. If either is unknown, it returns
// BBox. It reports false if BBox is nil too.
func (g *Grid) Extent() (box [4]float64, ok bool) {
	if g.Transform != (Affine{}) && g.Shape[0] > 0 && g.Shape[1] > 0 {
		rows, cols := float64(g.Shape[0]), float64(g.Shape[1])
		if g.Registration == NodeRegistration {
			rows, cols = rows-1, cols-1
		}
		var x, y [4]float64
		for i, corner := range [4][2]float64{{0, 0}, {cols, 0}, {0, rows}, {cols, rows}} {
			x[i], y[i] = g.Transform.Apply(corner[0], corner[1])
		}
		return [4]float64{slices.Min(x[:]), slices.Min(y[:]), slices.Max(x[:]), slices.Max(y[:])}, true
	}
	if len(g.BBox) != 4 {
		return box, false
	}
	return [4]float64(g.BBox), true
}
