package walk

import "iter"

// Object returns the part of an array that is stored in the object at a position of the grid.
func Object(a Array, coord []int) Box {
	b, shape := Box{make([]int, len(coord)), make([]int, len(coord))}, a.Shape()
	for i, c := range coord {
		start, length := a.Edge(i, c)
		b.At[i], b.Shape[i] = start, min(length, shape[i]-start)
	}
	return b
}

// Overlapping returns the positions in the grid of the objects that overlap a box of an array, as a
// box of the grid. It is empty if the box is.
func Overlapping(a Array, b Box) Box {
	in := Box{make([]int, len(b.At)), make([]int, len(b.At))}
	for i, n := range b.Shape {
		if n > 0 {
			first, _, _ := a.ChunkAt(i, b.At[i])
			last, _, _ := a.ChunkAt(i, b.At[i]+n-1)
			in.At[i], in.Shape[i] = first, last-first+1
		}
	}
	return in
}

// Positions yields the positions in a box in C order. The caller owns them.
func (b Box) Positions() iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		for p := range Lattice(b.Shape, func(_, from int) int { return from + 1 }) {
			for i, at := range b.At {
				p.At[i] += at
			}
			if !yield(p.At) {
				return
			}
		}
	}
}
