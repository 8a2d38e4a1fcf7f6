package zarr

import (
	"iter"
	"slices"

	"github.com/zargo-io/zargo/internal/grid"
)

// Region is a box of an array: what a chunk, or a shard, has of it.
type Region struct {
	Coord []int // the position in the grid, counted in chunks or shards
	Start []int // the first element along each axis
	Shape []int // elements along each axis; the last chunk along one may have less inside the array than in the grid
}

// Select selects the region, for Read and Write.
func (r Region) Select() []Selection {
	sel := make([]Selection, len(r.Start))
	for i, at := range r.Start {
		sel[i] = Range(at, at+r.Shape[i])
	}
	return sel
}

// ChunkRegions yields the regions of the array's chunks, in a sharded array of its inner chunks, in
// C order: each element of the array is in one of them. The slices of a Region are the loop's to
// keep. It makes no request.
func (a *Array) ChunkRegions() iter.Seq[Region] { return regions(a.meta.Shape, a.blocks) }

// ObjectRegions yields the regions of what is stored as one object, chunks or shards, in C order.
// Processes that write whole regions do not meet, and none of what they write is read first.
func (a *Array) ObjectRegions() iter.Seq[Region] { return regions(a.meta.Shape, a.pipe.Axes()) }

func regions(shape []int, axes []grid.Axis) iter.Seq[Region] {
	return func(yield func(Region) bool) {
		for b := range grid.Whole(shape).Chunks(axes) {
			r := Region{Coord: slices.Clone(b.Coord), Start: make([]int, len(shape)), Shape: make([]int, len(shape))}
			for i, axis := range axes {
				start, length := axis.Chunk(b.Coord[i])
				r.Start[i], r.Shape[i] = start, min(length, shape[i]-start)
			}
			if !yield(r) {
				return
			}
		}
	}
}
