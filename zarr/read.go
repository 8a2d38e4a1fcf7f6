package zarr

import (
	"context"

	"github.com/zargo-io/zargo/internal/bits/bytesview"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// Read returns the selected elements of the array in C order. T must be the Go type of the data
// type's memory form, such as float32 for dtype.Float32 and dtype.F16 for dtype.Float16. Read
// returns ErrType for any other T; see [ReadAs].
//
// If the result would take more memory than concurrency.Memory, Read returns ErrLimit before it
// allocates. Strings of one chunk may share one longer string, and equal slices may share memory,
// as for [Array.ReadItems].
func Read[T any](ctx context.Context, a *Array, sel ...Selection) ([]T, error) {
	r, err := a.region(sel)
	if err != nil {
		return nil, err
	}
	if err := fits[T](a); err != nil {
		return nil, err
	}
	n, err := a.sized(r)
	if err != nil {
		return nil, err
	}
	if err := a.mayHold(n, costOf[T](a)); err != nil {
		return nil, err
	}
	dst, advice := alloc[T](n)
	defer advice.Undo()
	return dst, readInto(ctx, a, dst, r)
}

// ReadInto reads the selected elements of the array into dst in C order. len(dst) must be the
// number of selected elements (ErrSelection otherwise). T is as for [Read]. A chunk that is
// contiguous in dst is decoded there without a copy. After an error the contents of dst are
// undefined.
func ReadInto[T any](ctx context.Context, a *Array, dst []T, sel ...Selection) error {
	r, err := regionOf[T](a, len(dst), sel)
	if err != nil {
		return err
	}
	return readInto(ctx, a, dst, r)
}

// ReadBytes reads the selected elements into dst in memory form (little-endian, packed; see package
// dtype). It accepts any data type of fixed size and returns ErrType for others. len(dst) must be
// the number of selected elements times their size. Otherwise ReadBytes is like [ReadInto].
func (a *Array) ReadBytes(ctx context.Context, dst []byte, sel ...Selection) error {
	r, err := a.regionOfBytes(len(dst), sel)
	if err != nil {
		return err
	}
	return a.of.Read(ctx, dst, r)
}

func readInto[T any](ctx context.Context, a *Array, dst []T, r grid.Selection) error {
	if t, ok := a.of.Meta.DType.(*dtype.Struct); ok {
		return readStructs(ctx, a, t, dst, r)
	}
	if a.of.Meta.DType.Size() == 0 {
		return readItems(ctx, a, dst, r)
	}
	if view, ok := bytesview.Of(dst); ok {
		return a.of.Read(ctx, view, r)
	}
	b, advice := alloc[byte](len(dst) * a.of.Meta.DType.Size())
	defer advice.Undo()
	if err := a.of.Read(ctx, b, r); err != nil {
		return err
	}
	bytesview.Take(dst, b)
	return nil
}
