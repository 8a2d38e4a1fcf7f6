package transfer

import (
	"github.com/zargo-io/zargo/internal/copying/alike"
	"github.com/zargo-io/zargo/zarr"
)

// sameObjects reports whether each object that the step writes is a copy, byte for byte, of an
// object of the source array. The positions in the two grids may differ by a whole number of
// objects.
func sameObjects(s *Step, from, to *zarr.Array) bool {
	if !alike.Encoding(from, to) {
		return false
	}
	in, shape := from.Shape(), to.Shape()
	for d, n := range shape {
		at := s.start(d)
		if at == 0 && n == in[d] {
			continue
		}
		if !from.Regular() {
			return false
		}
		_, each := from.Edge(d, 0) // the length of all chunks, since from is regular
		if in[d] == 0 || at%each != 0 || n%each != 0 && at+n != in[d] {
			return false
		}
	}
	return true
}

// offset returns the difference of the grid positions of an object in From and in To, along
// dimension d.
func (s *Step) offset(from *zarr.Array, d int) int {
	if at := s.start(d); at > 0 {
		chunk, _, _ := from.ChunkAt(d, at)
		return chunk
	}
	return 0
}
