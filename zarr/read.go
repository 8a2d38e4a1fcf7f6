package zarr

import (
	"context"
	"math"
	"reflect"

	"github.com/zargo-io/zargo/internal/bytesview"
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/pipeline"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Read returns what sel selects of the array, in C order. T must have the memory form of the data type: float32 for
// float32, dtype.F16 for float16 (ErrType otherwise; nothing is converted). A selection whose elements take more memory as
// Ts than concurrency.Memory is ErrLimit, before there is room for them. Strings of one chunk may be parts of one longer string, and slices
// that are equal may be the same memory, as for [Array.ReadItems].
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
	dst, advice := room[T](n)
	defer advice.Undo()
	return dst, readInto(ctx, a, dst, r)
}

// costOf is how many bytes of memory one element of a result takes, and what it is made of beside it. Elements that vary in
// length take what they are in addition.
func costOf[T any](a *Array) int64 {
	each, size := int64(reflect.TypeFor[T]().Size()), int64(a.meta.DType.Size())
	if size == 0 {
		return each + 8 // its number
	}
	if _, ok := a.meta.DType.(*dtype.Struct); !ok {
		if _, ok := bytesview.Of([]T(nil)); ok {
			return each
		}
	}
	return each + size
}

// tooMuch says that n elements of so many bytes each are more than there is memory.
func tooMuch(n int, each int64) error {
	return fault.Newf(fault.Limit, "%d elements take %d bytes each in memory, more than this process may use", n, each)
}

// ReadInto sets dst to what sel selects of the array, in C order; len(dst) is the number of elements selected
// (ErrSelection otherwise). T is as for Read. Where a chunk lies contiguous in dst it is decoded there, without a copy.
// After an error the contents of dst are undefined.
func ReadInto[T any](ctx context.Context, a *Array, dst []T, sel ...Selection) error {
	r, err := regionOf[T](a, len(dst), sel)
	if err != nil {
		return err
	}
	return readInto(ctx, a, dst, r)
}

// ReadBytes is ReadInto for any data type: dst is set to the elements in memory form (little-endian, packed; see package
// dtype); len(dst) is their number times the size of one.
func (a *Array) ReadBytes(ctx context.Context, dst []byte, sel ...Selection) error {
	r, err := a.regionOfBytes(len(dst), sel)
	if err != nil {
		return err
	}
	return a.read(ctx, dst, r)
}

func readInto[T any](ctx context.Context, a *Array, dst []T, r grid.Selection) error {
	if t, ok := a.meta.DType.(*dtype.Struct); ok {
		return readStructs(ctx, a, t, dst, r)
	}
	if a.meta.DType.Size() == 0 {
		return readItems(ctx, a, dst, r)
	}
	if view, ok := bytesview.Of(dst); ok {
		return a.read(ctx, view, r)
	}
	b, advice := room[byte](len(dst) * a.meta.DType.Size())
	defer advice.Undo()
	if err := a.read(ctx, b, r); err != nil {
		return err
	}
	bytesview.Take(dst, b)
	return nil
}

// regionOf resolves a selection that a buffer of n Ts is for.
func regionOf[T any](a *Array, n int, sel []Selection) (grid.Selection, error) {
	r, err := a.region(sel)
	if err != nil {
		return nil, err
	}
	if err := fits[T](a); err != nil {
		return nil, err
	}
	return r, a.wantLen(r, n, "elements", 1)
}

// regionOfBytes resolves a selection that a buffer of n bytes is for.
func (a *Array) regionOfBytes(n int, sel []Selection) (grid.Selection, error) {
	r, err := a.region(sel)
	if err != nil {
		return nil, err
	}
	if err := a.fixedSize(); err != nil {
		return nil, err
	}
	return r, a.wantLen(r, n, "bytes", a.meta.DType.Size())
}

// fits checks T against the data type, once a call.
func fits[T any](a *Array) error {
	t := reflect.TypeFor[T]()
	if of, ok := a.meta.DType.(*dtype.Struct); ok {
		if _, err := a.shared.structs.moves(of, t); err == nil {
			return nil
		}
	}
	if !a.meta.DType.Fits(t) {
		return a.errf(fault.Newf(fault.Type, "%v elements are %v in Go, not %v", a.meta.DType, a.meta.DType.Go(), t))
	}
	return nil
}

// sized is the number of elements of a selection; ErrLimit when their bytes overflow an int.
func (a *Array) sized(r grid.Selection) (int, error) {
	n, ok := r.Len()
	if !ok || n > math.MaxInt/max(a.meta.DType.Size(), 1) {
		return 0, a.errf(fault.Newf(fault.Limit, "a selection of shape %v overflows", r.Shape()))
	}
	return n, nil
}

func (a *Array) wantLen(r grid.Selection, have int, unit string, each int) error {
	n, err := a.sized(r)
	if err != nil {
		return err
	}
	if n*each != have {
		return a.errf(fault.Newf(fault.Selection, "a selection of shape %v has %d %s, the buffer %d", r.Shape(), n*each, unit, have))
	}
	return nil
}

// read fills dst with the region.
func (a *Array) read(ctx context.Context, dst []byte, r grid.Selection) error {
	if err := a.engine.Read(ctx, pipeline.Memory{Block: codec.Block{Bytes: dst}, Shape: r.Shape()}, r); err != nil {
		return a.errf(err)
	}
	return nil
}
