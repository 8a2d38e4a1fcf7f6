package plan

import (
	"iter"
	"slices"
)

// CountOutside returns the number of positions outside a shape, at most 1<<53.
func (l *Layout) CountOutside(shape []int) int {
	total := 0.0
	for out := range shape {
		n := 1.0
		for _, r := range l.slab(out, shape) {
			n *= float64(max(r[1]-r[0], 0))
		}
		total += n
	}
	return int(min(total, 1<<53))
}

// slab returns a half-open interval of positions for each axis. The interval of axis k contains the
// positions outside the shape. The intervals of the axes before k contain the positions inside the
// shape, and the intervals of the axes after k contain all positions. The slabs for all k together
// are disjoint and contain all positions outside the shape.
func (l *Layout) slab(k int, shape []int) [][2]int {
	r := make([][2]int, len(shape))
	for i, axis := range l.Axes {
		inside, all := axis.Count(shape[i]), axis.Count(l.Shape[i])
		switch {
		case i < k:
			r[i][1] = inside
		case i == k:
			r[i] = [2]int{inside, all}
		default:
			r[i][1] = all
		}
	}
	return r
}

// Outside yields the keys of all positions outside a shape.
func (l *Layout) Outside(shape []int) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		coord := make([]int, len(shape))
		for out := range shape {
			r := l.slab(out, shape)
			if slices.ContainsFunc(r, func(r [2]int) bool { return r[0] >= r[1] }) {
				continue
			}
			for i := range coord {
				coord[i] = r[i][0]
			}
			for i := 0; i >= 0; {
				if !yield(l.Key(coord), nil) {
					return
				}
				for i = len(coord) - 1; i >= 0; i-- {
					if coord[i]++; coord[i] < r[i][1] {
						break
					}
					coord[i] = r[i][0]
				}
			}
		}
	}
}

// IsOutside reports whether the object at a position is wholly outside a shape.
func (l *Layout) IsOutside(coord, shape []int) bool {
	for i, axis := range l.Axes {
		if coord[i] >= axis.Count(shape[i]) {
			return true
		}
	}
	return false
}
