package zarr

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/internal/engine"
	"github.com/zargo-io/zargo/zarr/fault"
)

// ShardWriter writes one shard of an array piece by piece: inner chunks come in any order, each
// once, and are encoded and sent at once, so that a shard of any size takes the memory of some
// parts of it (see [ShardWriter.Kept]). Nothing of it is visible before Commit. One of Commit and
// Abort has to be called, when no write is in progress.
//
// [Write], WriteBytes and WriteItems write pieces, also concurrently: whole inner chunks of the
// shard, as far as they are inside the array, that were not written before (ErrSelection
// otherwise). They return when src is the caller's again. One call should have some MiB: what it
// sends is sent when it returns. After an error the shard can only be aborted.
//
//	w, err := a.OpenShard(ctx, 3, 0)
//	for rows := range slabs {
//		err = zarr.Write(ctx, w, rows, zarr.Range(from, to), zarr.All)
//	}
//	err = w.Commit(ctx)
type ShardWriter struct {
	a *Array // whose writes go to the shard
	w *engine.ShardWriter
}

// target returns the array that writes to the shard.
func (w *ShardWriter) target() *Array { return w.a }

// OpenShard begins to write the shard at a position of the grid, in the place of what is stored
// there. It makes no request of its own but the one that a first write makes. ErrSelection: there
// is no such shard. errors.ErrUnsupported: the array has no shards whose inner chunks can be
// written one by one, or is a view of a field.
func (a *Array) OpenShard(ctx context.Context, coord ...int) (*ShardWriter, error) {
	err := a.at.Writable()
	switch {
	case err != nil:
	case a.field != nil:
		err = fault.Newf(errors.ErrUnsupported, "a shard is not written by one field of its elements")
	case !a.Sharded():
		err = fault.Newf(errors.ErrUnsupported, "the array has no shards")
	default:
		err = a.confirm(ctx)
	}
	if err != nil {
		return nil, a.errf(err)
	}
	w, err := a.engine.OpenShard(ctx, coord, engine.ShardOptions{})
	if err != nil {
		return nil, a.errf(err)
	}
	return &ShardWriter{a.into(func([]int) *engine.ShardWriter { return w }), w}, nil
}

// into is the array with shards that are under way, into which it writes.
func (a *Array) into(shards func(coord []int) *engine.ShardWriter) *Array {
	b := *a
	b.shards = shards
	return &b
}

// WriteBytes is [Write] to the shard for any data type whose elements have one size; see
// [Array.WriteBytes].
func (w *ShardWriter) WriteBytes(ctx context.Context, src []byte, sel ...Selection) error {
	return w.a.WriteBytes(ctx, src, sel...)
}

// WriteItems is [Write] to the shard for data types whose elements vary in length; see [Array.WriteItems].
func (w *ShardWriter) WriteItems(ctx context.Context, src [][]byte, sel ...Selection) error {
	return w.a.WriteItems(ctx, src, sel...)
}

// Kept is how many bytes the ShardWriter holds between calls, at most: a part or two. A store that
// takes no values in parts, such as a zip file, gets the shard as a whole, so it is held until
// Commit; beyond half of the memory for chunks it is refused (ErrLimit).
func (w *ShardWriter) Kept() int64 { return w.w.Kept() }

// Commit makes the shard visible, whole. Inner chunks that were not written are missing, and a
// shard without any is not stored. It does not matter what is stored there by then: of two
// processes that write the same shard the last one has it. After an error nothing is visible.
func (w *ShardWriter) Commit(ctx context.Context) error {
	if err := w.w.Commit(ctx); err != nil {
		return w.a.errf(err)
	}
	return nil
}

// Abort drops what was written, also when ctx has ended. After Commit it does nothing.
func (w *ShardWriter) Abort(ctx context.Context) error {
	if err := w.w.Abort(ctx); err != nil {
		return w.a.errf(err)
	}
	return nil
}
