package transfer

import (
	"github.com/zargo-io/zargo/internal/copying/alike"
	"github.com/zargo-io/zargo/internal/walk"
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
