package zarr

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/internal/chunk/engine"
	"github.com/zargo-io/zargo/zarr/fault"
)

// ShardWriter writes one shard of an array piece by piece. Inner chunks may be written in any
// order, but only once, and are encoded and sent immediately. A shard of any size takes the memory
// of only one or two of its parts (see [ShardWriter.Kept]). Nothing is visible before Commit. The
// caller must call Commit or Abort, when no write is in progress.
//
//	w, err := a.OpenShard(ctx, 3, 0)
//	for rows := range slabs {
//		err = zarr.WriteShard(ctx, w, rows, zarr.Range(from, to), zarr.All)
//	}
//	err = w.Commit(ctx)
//
// [WriteShard], [ShardWriter.WriteBytes] and [ShardWriter.WriteItems] write pieces, and may be
// called concurrently. A piece must consist of whole inner chunks of the shard, up to the end of
// the array, that were not written before (ErrSelection otherwise). The caller may reuse src when
// the call returns. A piece should have several MiB, because a call sends its bytes before it
// returns. After an error only Abort may be called.
type ShardWriter struct {
	a *Array // writes to it go to the shard
	w *engine.ShardWriter
}

// OpenShard returns a ShardWriter for the shard at a position of the grid. Its Commit replaces the
// stored shard. OpenShard sends no request, except the one that checks the array's metadata before
// a first write.
//
// OpenShard returns ErrSelection if coord is outside the grid. It returns errors.ErrUnsupported if
// the array is not sharded (see [Array.Sharded]), if its inner chunks cannot be written one by one,
// or if it is a view of a field.
func (a *Array) OpenShard(ctx context.Context, coord ...int) (*ShardWriter, error) {
	err := a.at.Writable()
	switch {
	case err != nil:
	case a.field != nil:
		err = fault.Newf(errors.ErrUnsupported, "a shard cannot be written through a view of a field")
	case !a.Sharded():
		err = fault.Newf(errors.ErrUnsupported, "the array is not sharded")
	default:
		err = a.of.Confirm(ctx)
	}
	if err != nil {
		return nil, a.errf(err)
	}
	w, err := a.of.Engine.OpenShard(ctx, coord, engine.ShardOptions{})
	if err != nil {
		return nil, a.errf(err)
	}
	return &ShardWriter{a.into(func([]int) *engine.ShardWriter { return w }), w}, nil
}

// into returns the array with open shards as the destination of writes.
func (a *Array) into(shards func(coord []int) *engine.ShardWriter) *Array {
	b, of := *a, *a.of
	of.Shards, b.of = shards, &of
	return &b
}

// WriteShard writes a piece of a shard, as [Write] writes to an array.
func WriteShard[T any](ctx context.Context, w *ShardWriter, src []T, sel ...Selection) error {
	return Write(ctx, w.a, src, sel...)
}

// WriteBytes writes a piece of any data type of fixed size, as [Array.WriteBytes] does.
func (w *ShardWriter) WriteBytes(ctx context.Context, src []byte, sel ...Selection) error {
	return w.a.WriteBytes(ctx, src, sel...)
}

// WriteItems writes a piece whose elements vary in length, as [Array.WriteItems] does.
func (w *ShardWriter) WriteItems(ctx context.Context, src [][]byte, sel ...Selection) error {
	return w.a.WriteItems(ctx, src, sel...)
}

// Kept returns the maximum number of bytes that the ShardWriter holds between calls: one or two
// parts. If the store does not support uploads in parts, such as a zip file, the ShardWriter holds
// the whole shard until Commit. If that is more than half of the memory for chunks, writes return
// ErrLimit.
func (w *ShardWriter) Kept() int64 { return w.w.Kept() }

// Commit makes the whole shard visible, and replaces any shard stored meanwhile: if two processes
// write the same shard, the last Commit wins. Inner chunks that were not written are missing. A
// shard without inner chunks is not stored. After an error nothing is visible.
func (w *ShardWriter) Commit(ctx context.Context) error {
	if err := w.w.Commit(ctx); err != nil {
		return w.a.errf(err)
	}
	return nil
}

// Abort discards the written pieces, even if ctx has ended. After Commit it does nothing.
func (w *ShardWriter) Abort(ctx context.Context) error {
	if err := w.w.Abort(ctx); err != nil {
		return w.a.errf(err)
	}
	return nil
}
