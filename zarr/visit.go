package zarr

import (
	"context"
	"slices"

	"github.com/zargo-io/zargo/internal/bits/bytesview"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Part is the selected part of a chunk, as passed to the function of [Visit].
type Part[T any] struct {
	At    []int // offset within the selection, in elements along each dimension
	Shape []int // elements along each dimension
	// Values are the elements in C order. If Absent is true, the chunk is not stored, and Values has
	// one element, the fill value, which all elements equal.
	Values []T
	Absent bool
}

// Len returns the number of elements.
func (p Part[T]) Len() int {
	n := 1
	for _, d := range p.Shape {
		n *= d
	}
	return n
}

// Visit calls visit for the selected elements of each chunk, or of each inner chunk of a shard. It
// needs no memory for the whole selection, and passes the elements of a chunk while they are in the
// cache of the CPU:
//
//	var stored atomic.Int64 // elements of stored chunks
//	err := zarr.Visit(ctx, a, func(p zarr.Part[int64]) error {
//		if !p.Absent {
//			stored.Add(int64(p.Len()))
//		}
//		return nil
//	})
//
// Several goroutines call visit at the same time, in any order. A call for a stored chunk has one
// of the CPU slots of [Limits.Shared]. The slices of a Part are valid until visit returns, and must
// not be changed. If a writer replaces a shard during the call, Visit reads the shard again, and
// calls visit again for its inner chunks: the last call for a chunk counts.
//
// The data type must have a fixed size and not be a structure, and T must be its Go type as for
// [Read]. Visit returns the first error of visit. It returns ErrSelection for [Points], [Index] and
// [Mask], because their elements do not form blocks. Other errors are those of Read.
func Visit[T any](ctx context.Context, a *Array, visit func(Part[T]) error, sel ...Selection) error {
	r, err := a.region(sel)
	if err != nil {
		return err
	}
	size := a.of.Meta.DType.Size()
	if _, ok := a.of.Meta.DType.(*dtype.Struct); ok || size == 0 {
		return a.errf(fault.Newf(fault.Type, "Visit does not support the data type %v", a.of.Meta.DType))
	}
	if err := fits[T](a); err != nil {
		return err
	}
	region, ok := r.(grid.Region)
	if !ok || slices.ContainsFunc(region, func(s grid.Slice) bool { return s.Index != nil }) {
		return a.errf(fault.Newf(fault.Selection, "Visit needs a rectangular selection, not Points, Index or Mask"))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	use := func(at, shape []int, elems []byte, same bool) {
		if ctx.Err() != nil {
			return
		}
		if err := visit(Part[T]{at, shape, valuesOf[T](elems, size), same}); err != nil {
			cancel(&visitError{err})
		}
	}
	err = a.of.Engine.Read(ctx, pipeline.Memory{Shape: region.Shape(), Use: use}, region)
	if v, ok := context.Cause(ctx).(*visitError); ok {
		return v.err
	}
	if err != nil {
		return a.errf(err)
	}
	return nil
}

// visitError is the error of the function that a caller passed to Visit.
type visitError struct{ err error }

func (e *visitError) Error() string { return e.err.Error() }

// valuesOf returns elements in memory form as values, which may share their memory.
func valuesOf[T any](elems []byte, size int) []T {
	if view, ok := bytesview.As[T](elems); ok {
		return view
	}
	values := make([]T, len(elems)/size)
	bytesview.Take(values, elems)
	return values
}
