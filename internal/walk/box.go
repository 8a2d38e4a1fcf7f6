package walk

import (
	"fmt"
	"iter"
	"math"
	"slices"
)

// Box is a part of a selection: Shape[i] selected elements from number At[i] on, along each axis i.
type Box struct{ At, Shape []int }

// Bytes returns the size of the elements of a box if each has the given size. The result is at most
// math.MaxInt64.
func (b Box) Bytes(each int64) int64 { return Bytes(b.Shape, each) }

// Len returns the number of elements of a box, at most math.MaxInt.
func (b Box) Len() int { return int(min(b.Bytes(1), math.MaxInt)) }

// String returns the start and the end along each axis.
func (b Box) String() string {
	ends := make([][2]int, len(b.At))
	for i, at := range b.At {
		ends[i] = [2]int{at, at + b.Shape[i]}
	}
	return fmt.Sprint(ends)
}

// Bytes returns the size of the elements of a shape if each has the given size. The result is at
// most math.MaxInt64.
func Bytes(shape []int, each int64) int64 {
	if slices.Contains(shape, 0) {
		return 0
	}
	n := each
	for _, s := range shape {
		if n > math.MaxInt64/int64(s) {
			return math.MaxInt64
		}
		n *= int64(s)
	}
	return n
}

// Each returns the function Box.Bytes for elements of n bytes.
func Each(n int64) func(Box) int64 { return func(b Box) int64 { return b.Bytes(n) } }

// Lattice divides a shape into boxes and yields them in C order. end returns the end of the range
// of an axis that starts at element from. It is called for the ranges of a box from the first
// changed axis to the last. A shape without elements has no boxes. The caller owns the boxes.
func Lattice(shape []int, end func(axis, from int) int) iter.Seq[Box] {
	return func(yield func(Box) bool) {
		if slices.Contains(shape, 0) {
			return
		}
		at, to := make([]int, len(shape)), make([]int, len(shape))
		for changed := 0; changed >= 0; {
			for k := changed; k < len(at); k++ {
				to[k] = end(k, at[k])
			}
			b := Box{slices.Clone(at), make([]int, len(at))}
			for k := range at {
				b.Shape[k] = to[k] - at[k]
			}
			if !yield(b) {
				return
			}
			for changed = len(at) - 1; changed >= 0; changed-- {
				if at[changed] = to[changed]; at[changed] < shape[changed] {
					break
				}
				at[changed] = 0
			}
		}
	}
}

// Steps returns an end for [Lattice] that cuts each axis at the multiples of step.
func Steps(shape, step []int) func(axis, from int) int {
	return func(axis, from int) int { return from + min(step[axis], shape[axis]-from) }
}

// Tiles divides a selection into boxes of whole chunks, of about want elements, and yields them in
// C order. It extends the boxes along the last axis first. A box has at most most elements, so a
// larger chunk is in several boxes.
func Tiles(axes []Axis, want, most int) iter.Seq[Box] {
	shape, first, wide := make([]int, len(axes)), make([]int, len(axes)), make([]int, len(axes))
	for k, a := range axes {
		if shape[k] = a.Count; a.Count == 0 {
			return Lattice(shape, nil)
		}
		first[k] = max(a.Next(0), 1)
	}
	// share returns the part of n elements that remains for axis k, if the axes before it have the
	// lengths in before, and the axes after it those in after.
	share := func(n, k int, before, after []int) int {
		for i := range axes {
			if i < k {
				n /= before[i]
			} else if i > k {
				n /= after[i]
			}
		}
		return max(n, 1)
	}
	for k := len(axes) - 1; k >= 0; k-- {
		wide[k] = max(min(share(want, k, first, wide), shape[k]), first[k])
	}
	have := make([]int, len(axes)) // lengths of the current box
	return Lattice(shape, func(k, from int) int {
		to := axes[k].End(from, share(want, k, first, wide), share(most, k, have, first))
		have[k] = to - from
		return to
	})
}
