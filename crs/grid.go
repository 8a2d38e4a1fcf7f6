package crs

import (
	"math"
	"slices"
)

// Registration determines which point of an element the transformation of a grid describes.
type Registration string

// The registrations of a grid.
const (
	PixelRegistration Registration = "pixel" // whole numbers are the corners of elements; the default
	NodeRegistration  Registration = "node"  // whole numbers are the centers of elements
)

// Grid is the relation between the positions of elements along two dimensions and coordinates.
type Grid struct {
	// Dims has the names of the dimensions of the rows and of the columns, such as "y" and "x". The
	// names are "" if they are unknown.
	Dims [2]string

	// Shape has the number of rows and columns. It is zero if the number is unknown.
	Shape [2]int

	// Transform is the transformation of columns and rows to coordinates. It is the zero value if
	// the source lacks an affine transformation.
	Transform Affine

	// Type is the value of spatial:transform_type. Transform is zero if it is not "affine".
	Type string

	Registration Registration

	// BBox has the minimum and maximum coordinates xmin, ymin, xmax and ymax, as stored; or nil.
	BBox []float64

	Source Source
}

// half returns the distance from the origin of an element to the point that its coordinate
// describes, in elements.
func (g *Grid) half() float64 {
	if g.Registration == NodeRegistration {
		return 0
	}
	return 0.5
}

// At returns the coordinate of the center of an element. With PixelRegistration it is x =
// a·(col+0.5) + b·(row+0.5) + c. Row and column may be outside the array. If the grid has no
// transformation, both coordinates are NaN.
func (g *Grid) At(row, col int) (x, y float64) {
	if g.Transform == (Affine{}) {
		return math.NaN(), math.NaN()
	}
	return g.Transform.Apply(float64(col)+g.half(), float64(row)+g.half())
}

// Index returns the row and column at a coordinate. Whole numbers are the centers of elements, so
// that rounding returns the element that contains the coordinate. Index reports false if the grid
// lacks a transformation, or it has one without inverse.
func (g *Grid) Index(x, y float64) (row, col float64, ok bool) {
	back, ok := g.Transform.Inverse()
	if !ok {
		return math.NaN(), math.NaN(), false
	}
	col, row = back.Apply(x, y)
	return row - g.half(), col - g.half(), true
}

// Extent returns the minimum and maximum coordinates xmin, ymin, xmax and ymax of the grid, as
// spatial:bbox defines them: of the edges of the outer elements with PixelRegistration, and of
// their centers with NodeRegistration. It uses Transform and Shape, else BBox. It reports false if
// the grid has neither.
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
