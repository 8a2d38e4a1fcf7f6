package zarr

import (
	"context"

	"github.com/zargo-io/zargo/internal/bits/bytesview"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// Write sets the selected elements of an array to src in C order. len(src) must be the number of
// selected elements (ErrSelection otherwise). T is as for [Read].
//
// The selection determines how a chunk is written:
//
//   - A chunk whose elements are all selected is written without being read.
//   - A chunk that extends beyond the array's shape, and whose elements inside the shape are all
//     selected, is put if it is absent. An existing chunk keeps its elements beyond the shape,
//     because another writer may have appended them since the array was opened.
//   - Any other chunk is read, changed, and written on condition that no other writer replaced it
//     in between. After such a replacement the chunk is read again and the write is retried.
//     Concurrent writers of different elements therefore lose nothing, in one process or in
//     several.
//
// Write returns errors.ErrUnsupported for partial chunks if the store does not support conditional
// writes; see [SingleWriter]. Chunks whose elements all equal the fill value are deleted or not
// written, unless [StoreFill] is set. If the fill value is undefined (v2's null), all chunks are
// stored.
//
// Write does not change attributes, even if they describe the elements, such as actual_range.
//
// After an error some chunks may have been written. Each chunk has either its old or its new value.
func Write[T any](ctx context.Context, a *Array, src []T, sel ...Selection) error {
	r, err := regionOf[T](a, len(src), sel)
	if err != nil {
		return err
	}
	if a, err = a.keeping(r); err != nil {
		return err
	}
	if t, ok := a.of.Meta.DType.(*dtype.Struct); ok {
		return writeStructs(ctx, a, t, src, r)
	}
	if a.of.Meta.DType.Size() == 0 {
		return writeItems(ctx, a, src, r)
	}
	if view, ok := bytesview.Of(src); ok {
		return a.of.Write(ctx, view, r)
	}
	b := make([]byte, len(src)*a.of.Meta.DType.Size())
	bytesview.Put(b, src)
	return a.of.Write(ctx, b, r)
}
