package zarr

import (
	"context"
	"slices"
	"sync"

	"github.com/zargo-io/zargo/internal/bits/bytesview"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Visit calls visit for the selected elements of each chunk, or of each inner chunk of a shard. It
// needs no memory for the whole selection, and passes the elements of a chunk while they are in the
// cache of the CPU:
//
//	err := zarr.Visit(ctx, a, func(b zarr.Block[float32]) error {
//		sums[a.Index(b.At)] = sum(b.Values)
//		return nil
//	})
//
// Several goroutines call visit at the same time, in any order, each with one of the CPU slots of
// [Limits.Shared]. A Block and its slices are valid until visit returns, and must not be changed.
// The elements of a chunk that is not stored are the fill value. If a writer replaces a shard
// during the call, Visit reads the shard again, and calls visit again for its inner chunks: the
// last call for a chunk counts.
//
// The data type must have a fixed size and not be a structure, and T must be its Go type as for
// [Read]. Visit returns the first error of visit. It returns ErrSelection for [Points], [Index] and
// [Mask], because their elements do not form blocks. Other errors are those of Read.
func Visit[T any](ctx context.Context, a *Array, visit func(Block[T]) error, sel ...Selection) error {
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
	v := &visitor[T]{size: size}
	use := func(at, shape []int, elems []byte, same bool) {
		if ctx.Err() != nil {
			return
		}
		if err := visit(Block[T]{at, shape, v.values(shape, elems, same)}); err != nil {
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

// visitor converts the elements of boxes to values of T.
type visitor[T any] struct {
	size int
	mu   sync.Mutex
	fill []T // all elements equal the fill value
}

// values returns the elements of a box, which may share the memory of elems.
func (v *visitor[T]) values(shape []int, elems []byte, same bool) []T {
	n := 1
	for _, d := range shape {
		n *= d
	}
	if same {
		return v.filled(n, elems)
	}
	if view, ok := bytesview.As[T](elems); ok {
		return view
	}
	values := make([]T, n)
	bytesview.Take(values, elems)
	return values
}

// filled returns n elements of the fill value. All calls share their memory.
func (v *visitor[T]) filled(n int, one []byte) []T {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.fill) < n {
		value := make([]T, 1)
		bytesview.Take(value, one)
		v.fill = slices.Repeat(value, n)
	}
	return v.fill[:n:n]
}
