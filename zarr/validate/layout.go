package validate

import "github.com/zargo-io/zargo/zarr"

// layout is how an array is cut into stored objects: chunks, or shards where there are shards.
type layout struct {
	shape []int // of the array
	each  []int // elements of one along each axis
	grid  []int // how many along each axis
}

// layoutOf is false where objects differ in shape.
func layoutOf(a *zarr.Array) (layout, bool) {
	l := layout{shape: a.Shape(), each: a.Metadata().Grid.Shape}
	if len(l.each) != len(l.shape) {
		return l, false
	}
	for i, n := range l.shape {
		l.grid = append(l.grid, n/l.each[i]+min(n%l.each[i], 1))
	}
	return l, true
}

// inside tells whether a position is in the grid.
func (l layout) inside(coord []int) bool {
	for i, n := range coord {
		if n >= l.grid[i] {
			return false
		}
	}
	return true
}

// box is what the object at a position holds of the array.
func (l layout) box(coord []int) box {
	b := make(box, len(coord))
	for i, c := range coord {
		from := c * l.each[i]
		b[i] = [2]int{from, from + min(l.each[i], l.shape[i]-from)}
	}
	return b
}
