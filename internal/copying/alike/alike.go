package alike

import (
	"slices"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Encoding reports whether two arrays have the same grid, codecs, data type and fill value. To
// compare a v2 array with a v3 array, it converts the v2 metadata to v3. Arrays with regular grids
// may differ in shape. Their last chunks may then extend beyond the shape by different amounts.
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

// likened returns a copy of x with the properties of y that do not affect encoded objects.
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

// Type reports whether elements of the types a and b have the same bytes in memory.
func Type(a, b dtype.Type) bool {
	x, _, _ := dtype.Uniform(a)
	y, _, _ := dtype.Uniform(b)
	return sameBytes(x, y)
}

// sameBytes is Type for types without byte orders. Raw bits (R) and raw bytes (V) have the same
// elements, also in the fields of structures: v2 has one name for both.
func sameBytes(a, b dtype.Type) bool {
	if dtype.Equal(a, b) {
		return true
	}
	if n, ok := rawBytes(a); ok {
		m, also := rawBytes(b)
		return also && n == m
	}
	s, ok := a.(*dtype.Struct)
	r, also := b.(*dtype.Struct)
	return ok && also && s.Form() == nil && r.Form() == nil && slices.EqualFunc(s.Fields(), r.Fields(), func(f, g dtype.Field) bool {
		return f.Name == g.Name && slices.Equal(f.Shape, g.Shape) && sameBytes(f.Type, g.Type)
	})
}

// rawBytes returns the size of elements that are uninterpreted bytes.
func rawBytes(t dtype.Type) (size int, ok bool) {
	switch t := t.(type) {
	case dtype.R:
		return int(t), true
	case dtype.V:
		return int(t), true
	}
	return 0, false
}
