package transfer

import (
	"github.com/zargo-io/zargo/internal/alike"
	"github.com/zargo-io/zargo/zarr"
)

// sameObjects reports whether objects of one array are objects of the other, byte for byte, at grid
// positions that differ by a whole number of objects.
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
		_, each := from.Edge(d, 0) // there is one: shape[d] or at is not 0 unless both are empty
		if in[d] == 0 || at%each != 0 || n%each != 0 && at+n != in[d] {
			return false
		}
	}
	return true
}

// offset is how many objects along a dimension those of From are ahead of those of To.
func (s *Step) offset(from *zarr.Array, d int) int {
	if at := s.start(d); at > 0 {
		chunk, _, _ := from.ChunkAt(d, at)
		return chunk
	}
	return 0
}
