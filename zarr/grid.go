package zarr

import (
	"iter"

	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Edges yields where each chunk along an axis begins, and its length as the grid has it, with which the last one may go
// beyond the array. In a sharded array these are the shards. It expands nothing: an axis may have more chunks than memory
// holds. axis is at least 0 and less than the rank.
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

// GridShape is the number of chunks along each axis, in a sharded array of shards. The slice is the caller's.
func (a *Array) GridShape() []int {
	n := make([]int, len(a.pipe.Axes()))
	for i, cut := range a.pipe.Axes() {
		n[i] = cut.Count(a.meta.Shape[i])
	}
	return n
}

// Edge is where the i-th chunk along an axis begins, in a sharded array the i-th shard, and its length as [Array.Edges] has
// it. i is at least 0 and less than [Array.GridShape] of the axis.
func (a *Array) Edge(axis, i int) (start, length int) { return a.pipe.Axes()[axis].Chunk(i) }

// ChunkAt finds the chunk that holds element i along an axis, or the shard in a sharded array: its number, for
// [Array.ChunkKey], the element it begins with, and its length as for Edges. i is at least 0 and less than the axis is long.
func (a *Array) ChunkAt(axis, i int) (chunk, start, length int) {
	chunk, length, off := a.pipe.Axes()[axis].Locate(i)
	return chunk, i - off, length
}

// Regular tells whether all chunks, or all shards of a sharded array, have one shape. Only a rectilinear grid may have others.
func (a *Array) Regular() bool { return a.pipe.Even() }

// Sharded tells whether each stored object is a shard with many chunks in it, which are read one by one.
func (a *Array) Sharded() bool { return a.pipe.Largest().Chain.Shards() != nil }

// axesOf is how the grid of an array cuts its axes.
func axesOf(m *meta.Array) []grid.Axis {
	if m.Grid.Edges == nil {
		return grid.Even(m.Grid.Shape)
	}
	axes := make([]grid.Axis, len(m.Grid.Edges))
	for i, e := range m.Grid.Edges {
		if e.Every > 0 {
			axes[i] = grid.Uneven(1, []grid.Run{{Edge: e.Every, Count: 1}})
			continue
		}
		runs := make([]grid.Run, len(e.Runs))
		for k, r := range e.Runs {
			runs[k] = grid.Run(r)
		}
		axes[i] = grid.Uneven(m.Shape[i], runs)
	}
	return axes
}
