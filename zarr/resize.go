package zarr

import (
	"context"
	"slices"
	"time"

	"github.com/zargo-io/zargo/internal/grow"
	"github.com/zargo-io/zargo/zarr/fault"
)

// ResizeOptions are those of one [Array.Resize]. They say what becomes of values outside the new
// shape. The zero value deletes chunks that lie wholly outside it, in a sharded array shards. A
// chunk that the shape ends within stays as it is, so that an array that grows again has its values
// again.
type ResizeOptions struct {
	// MetadataOnly changes the shape and deletes nothing: all values are there again should the
	// array grow again. Only what changes that were given up left where the array grows becomes the
	// fill value.
	MetadataOnly bool
	// Clear sets what lies outside the shape within chunks to the fill value too. They are read and
	// written again.
	Clear bool
	// Wait waits so long for another append or resize in progress. If that one gives the array
	// another shape, Resize fails with ErrConflict.
	Wait time.Duration
	// TakeOver takes the place of a change that did not end, as in [AppendOptions].
	TakeOver time.Duration
}

// Resize gives the array another shape of the same rank, and returns the array with it; a stays as
// it was. New elements are the fill value, or values that an earlier shape left there.
// ResizeOptions say what becomes of elements outside the new shape.
//
// The shape changes first, on condition that nobody else changed the array since it was opened
// (ErrConflict). Then chunks are deleted: their keys in batches or, if there are more than some
// thousand, those that a listing shows. An array that loses chunks is claimed meanwhile as by
// [Append]. After an error of a delete the shape is the new one, and the next Append or Resize
// deals with the remaining chunks. ErrSelection: a rectilinear grid ends before the new shape.
func (a *Array) Resize(ctx context.Context, shape []int, o ResizeOptions) (*Array, error) {
	if err := a.hasShape(); err != nil {
		return nil, a.errf(err)
	}
	if len(shape) != len(a.meta.Shape) {
		return nil, a.errf(fault.Newf(fault.Selection, "shape %v of an array with %d axes", shape, len(a.meta.Shape)))
	}
	outside := grow.Outside{Keep: o.MetadataOnly, Clear: o.Clear}
	out, err := grow.Resize(ctx, growing{a}, slices.Clone(shape), outside, AppendOptions{Wait: o.Wait, TakeOver: o.TakeOver}.grow())
	if err != nil {
		return nil, err
	}
	return viewed(out), nil
}
