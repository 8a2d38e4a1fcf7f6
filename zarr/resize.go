package zarr

import (
	"context"
	"slices"
	"time"

	"github.com/zargo-io/zargo/internal/grow"
	"github.com/zargo-io/zargo/zarr/fault"
)

// ResizeOptions are the options of [Array.Resize]. They determine how Resize treats elements
// outside the new shape. The zero value deletes the chunks, or shards, that are completely outside.
// A chunk that is partly outside is unchanged, so its values reappear if the array grows again.
type ResizeOptions struct {
	// MetadataOnly changes the shape and deletes no chunks, so that all values reappear if the
	// array grows again. If the array grows by this Resize, it still replaces values that
	// unfinished changes left in the new area by the fill value.
	MetadataOnly bool
	// Clear sets elements outside the shape to the fill value in chunks that are partly outside.
	// These chunks are read and written again.
	Clear bool
	// Wait is the maximum time to wait for another append or resize in progress. If the other
	// operation changes the shape of the array, Resize fails with ErrConflict. The default, 0, does
	// not wait.
	Wait time.Duration
	// TakeOver discards an unfinished change, as in [AppendOptions].
	TakeOver time.Duration
}

// Resize changes the shape of the array to another shape of the same rank. It returns the array
// with the new shape; a is unchanged. New elements are the fill value, or values that remain from
// an earlier, larger shape. ResizeOptions determine how elements outside the new shape are treated.
//
// Resize first changes the shape, on condition that the array did not change since it was opened
// (ErrConflict otherwise). It then deletes chunks by key. If there are more than 1,000 keys
// (100,000 in a store that deletes in batches), it lists the array instead and deletes the chunks
// that it finds. While it deletes chunks, it claims the array as [Append] does.
//
// If a delete fails, axes that shrink have their new length, and axes that grow their previous one.
// The next Append or Resize handles the remaining chunks.
//
// If a rectilinear grid ends before the new shape, the grid receives one more chunk along the axis,
// as in [Append]. A shape that shrinks does not change the grid.
func (a *Array) Resize(ctx context.Context, shape []int, o ResizeOptions) (*Array, error) {
	if err := a.hasShape(); err != nil {
		return nil, a.errf(err)
	}
	if len(shape) != len(a.of.Meta.Shape) {
		return nil, a.errf(fault.Newf(fault.Selection, "the array has rank %d, but shape %v has rank %d", len(a.of.Meta.Shape), shape, len(shape)))
	}
	outside := grow.Outside{Keep: o.MetadataOnly, Clear: o.Clear}
	out, err := grow.Resize(ctx, a.of, slices.Clone(shape), outside, AppendOptions{Wait: o.Wait, TakeOver: o.TakeOver}.grow())
	if err != nil {
		return nil, err
	}
	return a.viewed(out), nil
}
