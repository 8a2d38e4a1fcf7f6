package transfer

import (
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/meta"
)

// sameObjects reports whether objects of one array are objects of the other, byte for byte, at grid positions that differ by a whole number of objects.
func sameObjects(s *Step, from, to *zarr.Array) bool {
	if !sameEncoding(from, to) {
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

// sameEncoding reports whether the two have the same grid, codecs, data type and fill value.
func sameEncoding(from, to *zarr.Array) bool {
	x, y := from.Metadata(), to.Metadata()
	if y.Format == 3 && x.Format < 3 {
		var err error
		if x, err = from.MetadataV3(); err != nil {
			return false
		}
	}
	return likened(x, y).Difference(y) == ""
}

// likened is an array with what does not matter to encoded objects as another one has it.
func likened(x, y *meta.Array) *meta.Array {
	like := *x
	if x.Format < 3 && y.Format < 3 {
		like.Format = y.Format
	}
	if x.Grid.Edges == nil && y.Grid.Edges == nil {
		like.Shape = y.Shape
	}
	like.Keys, like.Dims, like.Attrs, like.NoSeparator = y.Keys, y.Dims, y.Attrs, y.NoSeparator
	return &like
}

// offset is how many objects along a dimension those of From are ahead of those of To.
func (s *Step) offset(from *zarr.Array, d int) int {
	if at := s.start(d); at > 0 {
		chunk, _, _ := from.ChunkAt(d, at)
		return chunk
	}
	return 0
}
