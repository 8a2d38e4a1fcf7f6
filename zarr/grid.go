package zarr

import (
	"iter"
)

// Edges yields where each chunk along an axis begins, and its length as the grid has it, with which
// the last one may go beyond the array. In a sharded array these are the shards. It expands
// nothing: an axis may have more chunks than memory holds. axis is at least 0 and less than the
// rank.
func (a *Array) Edges(axis int) iter.Seq2[int, int] {
	cut, n := a.pipe.Axes()[axis], a.meta.Shape[axis]
	return func(yield func(int, int) bool) {
		for i := range cut.Count(n) {
			if !yield(cut.Chunk(i)) {
				return
			}
		}
	}
}

// GridShape is the number of chunks along each axis, in a sharded array of shards. The slice is the
// caller's.
func (a *Array) GridShape() []int {
	n := make([]int, len(a.pipe.Axes()))
	for i, cut := range a.pipe.Axes() {
		n[i] = cut.Count(a.meta.Shape[i])
	}
	return n
}

// Edge is where the i-th chunk along an axis begins, in a sharded array the i-th shard, and its
// length as [Array.Edges] has it. i is at least 0 and less than [Array.GridShape] of the axis.
func (a *Array) Edge(axis, i int) (start, length int) { return a.pipe.Axes()[axis].Chunk(i) }

// ChunkAt finds the chunk that holds element i along an axis, or the shard in a sharded array: its
// number, for [Array.ChunkKey], the element it begins with, and its length as for Edges. i is at
// least 0 and less than the axis is long.
func (a *Array) ChunkAt(axis, i int) (chunk, start, length int) {
	chunk, length, off := a.pipe.Axes()[axis].Locate(i)
	return chunk, i - off, length
}
