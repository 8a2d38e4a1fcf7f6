package transfer

import (
	"slices"

	"github.com/zargo-io/zargo/internal/copying/alike"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
)

// sourceBox returns the box of From that a step with this Start copies to a box of To.
func sourceBox(start []int, b walk.Box) walk.Box {
	at := slices.Clone(b.At)
	for d, n := range start {
		at[d] += n
	}
	return walk.Box{At: at, Shape: b.Shape}
}

// offset returns the position in the grid of From of the first object that a step with this Start
// reads.
func offset(start []int, from *zarr.Array) []int {
	first := sourceBox(start, walk.Box{At: make([]int, len(from.Shape())), Shape: slices.Repeat([]int{1}, len(from.Shape()))})
	return walk.Overlapping(from, first).At
}

// selections returns the selections of a box.
func selections(b walk.Box) []zarr.Selection {
	return zarr.Region{Start: b.At, Shape: b.Shape}.Select()
}

// sameObjects reports whether each object that the step writes is a copy, byte for byte, of an
// object of the source array. The positions in the two grids may differ by a whole number of
// objects.
func sameObjects(s *Step, from, to *zarr.Array) bool {
	if !alike.Encoding(from, to) {
		return false
	}
	in, shape := from.Shape(), to.Shape()
	first := walk.Object(from, make([]int, len(in))).Shape // as all chunks of a regular array, but the last
	for d, n := range shape {
		at := s.start(d)
		if at == 0 && n == in[d] {
			continue
		}
		if !from.Regular() {
			return false
		}
		if each := first[d]; in[d] == 0 || at%each != 0 || n%each != 0 && at+n != in[d] {
			return false
		}
	}
	return true
}
