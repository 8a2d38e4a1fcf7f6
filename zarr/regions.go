package zarr

import (
	"iter"
	"slices"

	"github.com/zargo-io/zargo/internal/chunk/grid"
)

// Region is the part of an array that one chunk or shard covers.
type Region struct {
	Coord []int // position in the grid, in chunks or shards
	Start []int // first element along each axis
	Shape []int // elements inside the array along each axis
}

// Select returns the selections of the region, for [Read] and [Write].
func (r Region) Select() []Selection {
	sel := make([]Selection, len(r.Start))
	for i, at := range r.Start {
		sel[i] = Range(at, at+r.Shape[i])
	}
	return sel
}

// ChunkRegions yields the regions of the array's chunks in C order, or of its inner chunks if the
// array is sharded. Each element of the array is in exactly one region. The caller may keep the
// slices of a Region. ChunkRegions sends no request.
func (a *Array) ChunkRegions() iter.Seq[Region] { return regions(a.of.Meta.Shape, a.blocks) }

// ObjectRegions yields the regions of the array's stored objects, chunks or shards, in C order.
// Processes that write different regions never write the same object, and a write of a whole
// region reads nothing first.
func (a *Array) ObjectRegions() iter.Seq[Region] { return regions(a.of.Meta.Shape, a.of.Pipe.Axes()) }

func regions(shape []int, axes []grid.Axis) iter.Seq[Region] {
	return func(yield func(Region) bool) {
		for b := range grid.Whole(shape).Chunks(axes) {
			if !yield(regionAt(shape, axes, slices.Clone(b.Coord))) {
				return
			}
		}
	}
}

// regionAt returns the region of the chunk or shard at a position of a grid.
func regionAt(shape []int, axes []grid.Axis, coord []int) Region {
	r := Region{Coord: coord, Start: make([]int, len(shape)), Shape: make([]int, len(shape))}
	for i, axis := range axes {
		start, length := axis.Chunk(coord[i])
		r.Start[i], r.Shape[i] = start, min(length, shape[i]-start)
	}
	return r
}
