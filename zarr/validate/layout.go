package validate

import "github.com/zargo-io/zargo/zarr"

// layout is how an array is cut into stored objects: chunks, or shards where there are shards.
type layout struct {
	a     *zarr.Array
	shape []int // of the array
	grid  []int // how many objects along each axis
}

func layoutOf(a *zarr.Array) layout { return layout{a, a.Shape(), a.GridShape()} }

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
		start, length := l.a.Edge(i, c)
		b[i] = [2]int{start, start + min(length, l.shape[i]-start)}
	}
	return b
}
