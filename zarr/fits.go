package zarr

import (
	"math"
	"reflect"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/bits/bytesview"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// fits returns ErrType unless elements of the array can be read as Ts without conversion.
func fits[T any](a *Array) error {
	t := reflect.TypeFor[T]()
	if of, ok := a.of.Meta.DType.(*dtype.Struct); ok {
		if _, err := a.structs.moves(of, t); err == nil {
			return nil
		}
	}
	if !a.of.Meta.DType.Fits(t) {
		return a.errf(fault.Newf(fault.Type, "elements of data type %v are %v in Go, not %v", a.of.Meta.DType, a.of.Meta.DType.Go(), t))
	}
	return nil
}

// sized returns the number of elements of a selection, or ErrLimit if their size overflows an int.
func (a *Array) sized(r grid.Selection) (int, error) {
	n, ok := r.Len()
	if !ok || n > math.MaxInt/max(a.of.Meta.DType.Size(), 1) {
		return 0, a.errf(fault.Newf(fault.Limit, "a selection of shape %v has more bytes than an int can count", r.Shape()))
	}
	return n, nil
}

// wantLen returns ErrSelection unless length is size times the number of elements of r.
func (a *Array) wantLen(r grid.Selection, length int, unit string, size int) error {
	n, err := a.sized(r)
	if err != nil {
		return err
	}
	if n*size != length {
		return a.errf(fault.Newf(fault.Selection, "a selection of shape %v has %d %s, but the buffer has %d", r.Shape(), n*size, unit, length))
	}
	return nil
}

// selected resolves a selection and returns its number of elements. It returns ErrLimit if elements
// of size bytes each exceed the memory limit of the process.
func (a *Array) selected(sel []Selection, size int64) (grid.Selection, int, error) {
	r, err := a.region(sel)
	if err != nil {
		return nil, 0, err
	}
	n, err := a.sized(r)
	if err != nil {
		return nil, 0, err
	}
	return r, n, a.mayHold(n, size)
}

// mayHold returns ErrLimit if n elements of size bytes each exceed the process's memory limit.
func (a *Array) mayHold(n int, size int64) error {
	if most := concurrency.Memory() / max(size, 1); int64(n) > most || int64(n) > math.MaxInt/max(size, 1) {
		return a.errf(fault.Newf(fault.Limit, "%d elements of %d bytes each exceed the memory limit of the process", n, size))
	}
	return nil
}

// varies returns ErrType if the elements have a fixed size.
func (a *Array) varies() error {
	if t := a.of.Meta.DType; t.Size() > 0 {
		return a.errf(fault.Newf(fault.Type, "elements must vary in length; those of %v have %d bytes each", t, t.Size()))
	}
	return nil
}

// fixedSize returns ErrType if the elements vary in length, because the memory form of such
// elements is not their bytes.
func (a *Array) fixedSize() error {
	if a.of.Meta.DType.Size() == 0 {
		return a.errf(fault.Newf(fault.Type, "elements must have a fixed size; those of %v vary in length and are %v in Go", a.of.Meta.DType, a.of.Meta.DType.Go()))
	}
	return nil
}

// costOf returns the number of bytes that a read to Ts needs for each element: the size of a T,
// plus that of the source if it is converted. It excludes the contents of elements of varying
// length.
func costOf[T any](a *Array) int64 {
	each, size := int64(reflect.TypeFor[T]().Size()), int64(a.of.Meta.DType.Size())
	if size == 0 {
		return each + 8 // the number of its item
	}
	if _, ok := a.of.Meta.DType.(*dtype.Struct); !ok {
		if _, ok := bytesview.Of([]T(nil)); ok {
			return each
		}
	}
	return each + size
}

// regionOf resolves a selection for a buffer of n elements of type T.
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

// regionOfBytes resolves a selection for a buffer of n bytes.
func (a *Array) regionOfBytes(n int, sel []Selection) (grid.Selection, error) {
	r, err := a.region(sel)
	if err != nil {
		return nil, err
	}
	if err := a.fixedSize(); err != nil {
		return nil, err
	}
	return r, a.wantLen(r, n, "bytes", a.of.Meta.DType.Size())
}
