package zarr

import (
	"context"

	"github.com/zargo-io/zargo/internal/bytesview"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// Write sets what sel selects of the array to src, in C order; len(src) is the number of elements
// selected (ErrSelection otherwise). T is as for Read. to is an array, or one shard that
// [Array.OpenShard] opened.
//
// Chunks whose elements are all selected are written without being read. A chunk that reaches
// beyond the array's shape, and is selected as far as that goes, is put if it is absent; if it
// exists its elements beyond the shape are kept, as they may be rows that were appended since a was
// opened. Others are read, changed and written on condition that nobody replaced them in between,
// and done again if somebody did: concurrent writers of different elements lose nothing, here or in
// other processes. A store that cannot do conditional writes refuses partial chunks with
// errors.ErrUnsupported; see SingleWriter. Chunks whose every element is the fill value are
// deleted, or not written, unless StoreFill says otherwise; where the fill value is undefined (v2's
// null) all are stored.
//
// After an error some chunks may have been written and others not; each is wholly old or wholly
// new.
func Write[T any, To *Array | *ShardWriter](ctx context.Context, to To, src []T, sel ...Selection) error {
	a := any(to).(interface{ target() *Array }).target()
	r, err := regionOf[T](a, len(src), sel)
	if err != nil {
		return err
	}
	if a, err = a.keeping(r); err != nil {
		return err
	}
	if t, ok := a.meta.DType.(*dtype.Struct); ok {
		return writeStructs(ctx, a, t, src, r)
	}
	if a.meta.DType.Size() == 0 {
		return writeItems(ctx, a, src, r)
	}
	if view, ok := bytesview.Of(src); ok {
		return a.write(ctx, view, r)
	}
	b := make([]byte, len(src)*a.meta.DType.Size())
	bytesview.Put(b, src)
	return a.write(ctx, b, r)
}
