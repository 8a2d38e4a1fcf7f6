package zarr

import (
	"context"

	"github.com/zargo-io/zargo/internal/chunk/engine"
	"github.com/zargo-io/zargo/internal/grow"
	"github.com/zargo-io/zargo/internal/node/array"
)

// Writer extends an array by rows that arrive over time, a few at a time. It writes each chunk, or
// shard, once, as soon as all of its rows have arrived. A Writer is not safe for concurrent use.
//
//	w, err := zarr.NewWriter[float32](ctx, a, 0, zarr.AppendOptions{})
//	for day := range days {
//		err = w.Write(ctx, day)
//	}
//	a, err = w.Close(ctx)
//
// A Writer holds the claim of an append (see [Append]) from NewWriter to Close. The shape grows by
// whole rows of chunks, so readers see complete chunks and never a hole. [Writer.Flush] makes rows
// readable before their chunks are full; such chunks are read and written again when they are full.
// If the process is killed, rows that were not flushed are lost. A new Writer that takes over the
// claim continues after the readable rows.
//
// Large shards are not collected in memory. Each row of inner chunks is encoded and sent in parts
// as soon as it is complete, and the shards become visible when they are complete. Rows of such a
// shard that were readable before are copied in their stored form. If another process writes to
// these rows meanwhile, the Writer fails with ErrConflict.
type Writer[T any] struct {
	a *Array // as opened
	w *grow.Writer[T]
}

// NewWriter starts to append rows to an array along an axis. It returns ErrConflict if another
// Writer or Append is in progress, or if the array changed since it was opened, unless
// AppendOptions let it wait or take over.
//
// A Writer uses the memory of one row of chunks, or of shards in a sharded array, and the memory to
// encode them. A row of chunks consists of all chunks at one grid index along the axis. If a row of
// shards is much larger than a row of inner chunks, the Writer uses the memory of one row of inner
// chunks and one or two parts of each shard of the row. Shards whose elements vary in length are
// always collected in memory.
func NewWriter[T any](ctx context.Context, a *Array, axis int, o AppendOptions) (*Writer[T], error) {
	if err := a.growable(axis); err != nil {
		return nil, a.errf(err)
	}
	if _, err := regionOf[T](a, 0, along(axis, Range(0, 0))); err != nil {
		return nil, err
	}
	put := func(ctx context.Context, view *array.Array, shards func(coord []int) *engine.ShardWriter, rows []T, from, to int) error {
		return Write(ctx, a.viewed(view).into(shards), rows, along(axis, Range(from, to))...)
	}
	w, err := grow.NewWriter(ctx, a.of, axis, put, o.grow())
	if err != nil {
		return nil, err
	}
	return &Writer[T]{a, w}, nil
}

// Write appends rows in C order. It returns ErrSelection if the number of elements is not a whole
// number of rows. It returns when the rows are copied or stored; the caller may then change the
// slice. After an error only Close may be called, and rows that are not yet readable are lost.
func (w *Writer[T]) Write(ctx context.Context, rows []T) error { return w.w.Write(ctx, rows) }

// Flush makes all rows readable. It writes partly filled chunks, which are written again later.
// Flushing rows one by one therefore costs as much as separate calls of Append.
func (w *Writer[T]) Flush(ctx context.Context) error { return w.w.Flush(ctx) }

// Close makes all rows readable, releases the claim and returns the array with its new shape.
// After an error of Write or Flush it only releases the claim, and returns that error.
func (w *Writer[T]) Close(ctx context.Context) (*Array, error) {
	err := w.w.Close(ctx)
	return w.Array(), err
}

// Array returns the array with the rows that are readable so far.
func (w *Writer[T]) Array() *Array { return w.a.viewed(w.w.Array()) }

// Next returns the index of the next row that Write appends.
func (w *Writer[T]) Next() int { return w.w.Next() }
