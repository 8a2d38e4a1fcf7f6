package transfer

import (
	"slices"

	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
)

// source returns the box of From that a step with this Start copies to a box of To.
func source(start []int, b walk.Box) walk.Box {
	at := slices.Clone(b.At)
	for d, n := range start {
		at[d] += n
	}
	return walk.Box{At: at, Shape: b.Shape}
}

// offset returns the position in the grid of From of the first object that a step with this Start
// reads.
func offset(start []int, from *zarr.Array) []int {
	first := source(start, walk.Box{At: make([]int, len(from.Shape())), Shape: slices.Repeat([]int{1}, len(from.Shape()))})
	return walk.Overlapping(from, first).At
}

// selections returns the selections of a box.
func selections(b walk.Box) []zarr.Selection {
	return zarr.Region{Start: b.At, Shape: b.Shape}.Select()
}
