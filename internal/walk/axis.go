package walk

import (
	"sort"
)

// Axis is a selection along an axis of an array, and the division of the axis into chunks.
type Axis struct {
	Count    int             // number of selected elements
	Position func(i int) int // index in the array of the i-th selected element
	List     bool            // positions are in any order; they increase or decrease otherwise

	// Chunk returns the first element and the length of the chunk that contains an element. The
	// last chunk may extend beyond the array.
	Chunk  func(position int) (start, length int)
	Length int // length of all chunks, or 0 if they differ
}

// Array is the grid of an array. *zarr.Array implements it.
type Array interface {
	Shape() []int
	Chunks() []int // nil if chunks differ in shape
	Shards() []int // nil without shards
	ChunkAt(axis, i int) (chunk, start, length int)
	Edge(axis, i int) (start, length int)
}

// Chunks returns axis k of an array, divided into the parts that can be read independently. In
// shards these are the inner chunks. Count and Position select all elements.
func Chunks(a Array, k int) Axis { return axisOf(a, k, a.Chunks()) }

// Objects returns axis k of an array, divided into stored objects: chunks, or shards.
func Objects(a Array, k int) Axis {
	lengths := a.Shards()
	if lengths == nil {
		lengths = a.Chunks()
	}
	return axisOf(a, k, lengths)
}

func axisOf(a Array, k int, lengths []int) Axis {
	x := Axis{Count: a.Shape()[k], Position: func(i int) int { return i }}
	if lengths != nil {
		return x.Even(lengths[k])
	}
	x.Chunk = func(i int) (start, length int) {
		_, start, length = a.ChunkAt(k, i)
		return start, length
	}
	return x
}

// Even returns the axis with chunks of one length.
func (a Axis) Even(length int) Axis {
	a.Length = length
	a.Chunk = func(i int) (start, n int) { return i - i%length, length }
	return a
}

// maxCommon is the maximum number of chunks that Common visits. A few bytes of metadata may declare
// many.
const maxCommon = 1 << 20

// Common returns a divided where chunks of both a and b end. Their arrays have n elements along the
// axis. If chunks differ in length and there are more than 2²⁰, it returns a.
func (a Axis) Common(n int, b Axis) Axis {
	if a.Length > 0 && b.Length > 0 {
		x, y := a.Length, b.Length
		for y > 0 {
			x, y = y, x%y
		}
		if times := b.Length / x; a.Length <= n/times {
			return a.Even(a.Length * times)
		}
		return a.Even(max(n, 1))
	}
	var ends []int
	for p, visited := 0, 0; p < n; visited++ {
		if visited == maxCommon {
			return a
		}
		s, l := a.Chunk(p)
		t, m := b.Chunk(p)
		if p = min(s+l, t+m); s+l == t+m {
			ends = append(ends, p)
		}
	}
	if len(ends) == 0 || ends[len(ends)-1] < n {
		ends = append(ends, n)
	}
	a.Length = 0
	a.Chunk = func(i int) (start, length int) {
		k := sort.SearchInts(ends, i+1)
		if k > 0 {
			start = ends[k-1]
		}
		return start, ends[k] - start
	}
	return a
}

// same reports whether the i-th and the j-th selected element are in one chunk.
func (a Axis) same(i, j int) bool {
	start, length := a.Chunk(a.Position(i))
	p := a.Position(j)
	return p >= start && p-start < length
}

// Next returns the end of the range of selected elements from number i on that are in one chunk.
func (a Axis) Next(i int) int { return a.next(i, a.Count) }

// next is like Next, but returns limit if that is less.
func (a Axis) next(i, limit int) int {
	if a.List {
		next := i + 1
		for next < limit && a.same(i, next) {
			next++
		}
		return next
	}
	return i + sort.Search(limit-i, func(k int) bool { return !a.same(i, i+k) })
}

// End returns the end of a range of selected elements that starts at number from. The end is a
// chunk boundary after about want elements, or from+most if that is less. want and most are at
// least 1. If a list has no boundary within want elements, End returns the first one after from.
func (a Axis) End(from, want, most int) int {
	if want >= a.Count-from {
		return a.Count
	}
	to := from + want
	if first := a.begin(from, to); first > from {
		return first
	}
	if a.List {
		to = from
	}
	return max(a.next(to, from+min(most, a.Count-from)), from+1)
}

// begin returns the first number of the range up to number i of selected elements in one chunk. It
// searches a list only back to from.
func (a Axis) begin(from, i int) int {
	if a.List {
		for i > from && a.same(i, i-1) {
			i--
		}
		return i
	}
	return from + sort.Search(i-from, func(k int) bool { return a.same(i, from+k) })
}
