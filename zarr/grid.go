package zarr

import "iter"

// Edges yields the first element and the length of each chunk along an axis, or of each shard if
// the array is sharded. The length is that of the grid, so the last chunk may extend beyond the
// array. Edges does not build a list, because an axis may have more chunks than memory can hold.
// axis must be at least 0 and less than the rank.
func (a *Array) Edges(axis int) iter.Seq2[int, int] {
	cut, n := a.of.Pipe.Axes()[axis], a.of.Meta.Shape[axis]
	return func(yield func(int, int) bool) {
		for i := range cut.Count(n) {
			if !yield(cut.Chunk(i)) {
				return
			}
		}
	}
}

// GridShape returns the number of chunks along each axis, or of shards if the array is sharded. The
// caller owns the slice.
func (a *Array) GridShape() []int {
	n := make([]int, len(a.of.Pipe.Axes()))
	for i, cut := range a.of.Pipe.Axes() {
		n[i] = cut.Count(a.of.Meta.Shape[i])
	}
	return n
}

// Edge returns the first element and the length of the i-th chunk along an axis, or of the i-th
// shard if the array is sharded. The length is as for [Array.Edges]. i must be at least 0 and less
// than the [Array.GridShape] of the axis.
func (a *Array) Edge(axis, i int) (start, length int) { return a.of.Pipe.Axes()[axis].Chunk(i) }

// ChunkAt returns the chunk that contains element i along an axis, or the shard if the array is
// sharded: its index (for [Array.ChunkKey]), its first element, and its length (as for
// [Array.Edges]). i must be at least 0 and less than the length of the axis.
func (a *Array) ChunkAt(axis, i int) (chunk, start, length int) {
	chunk, length, off := a.of.Pipe.Axes()[axis].Locate(i)
	return chunk, i - off, length
}
