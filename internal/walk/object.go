package walk

import "iter"

// Object returns the part of an array that the object at a position of the grid stores.
func Object(a Array, coord []int) Box {
	one := Box{coord, make([]int, len(coord))}
	for i := range coord {
		one.Shape[i] = 1
	}
	return Covered(a, one)
}

// Covered returns the part of an array that the objects in a box of the grid store. It is empty if
// the box is.
func Covered(a Array, grid Box) Box {
	b, shape := Box{make([]int, len(grid.At)), make([]int, len(grid.At))}, a.Shape()
	for i, n := range grid.Shape {
		if n > 0 {
			first, _ := a.Edge(i, grid.At[i])
			last, length := a.Edge(i, grid.At[i]+n-1)
			b.At[i], b.Shape[i] = first, last-first+min(length, shape[i]-last)
		}
	}
	return b
}

// Overlapping returns the positions of the objects that overlap a box of an array, as a box of the
// grid. It is empty if the box is.
func Overlapping(a Array, b Box) Box {
	grid := Box{make([]int, len(b.At)), make([]int, len(b.At))}
	for i, n := range b.Shape {
		if n > 0 {
			first, _, _ := a.ChunkAt(i, b.At[i])
			last, _, _ := a.ChunkAt(i, b.At[i]+n-1)
			grid.At[i], grid.Shape[i] = first, last-first+1
		}
	}
	return grid
}

// Parts divides a box into boxes of the shape step, or smaller ones at its ends. It yields them in C
// order. The caller owns the boxes.
func (b Box) Parts(step []int) iter.Seq[Box] {
	return func(yield func(Box) bool) {
		for part := range Lattice(b.Shape, Steps(b.Shape, step)) {
			for i, at := range b.At {
				part.At[i] += at
			}
			if !yield(part) {
				return
			}
		}
	}
}

// Positions yields the positions in a box in C order. The caller owns them.
func (b Box) Positions() iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		one := make([]int, len(b.At))
		for i := range one {
			one[i] = 1
		}
		for p := range b.Parts(one) {
			if !yield(p.At) {
				return
			}
		}
	}
}
