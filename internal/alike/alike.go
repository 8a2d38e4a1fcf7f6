package alike

import (
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Encoding reports whether the two have the same grid, codecs, data type and fill value. An array
// of v2 is compared with one of v3 by what it is as one of v3. Where chunks have one shape the
// shapes of the arrays may differ, and with them what of a chunk at the end is in the array.
func Encoding(from, to *zarr.Array) bool {
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

// Type reports whether elements of two types are the same in memory.
func Type(a, b dtype.Type) bool {
	x, _, _ := dtype.Uniform(a)
	y, _, _ := dtype.Uniform(b)
	return dtype.Equal(x, y)
}
