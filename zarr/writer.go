package zarr

import (
	"context"

	"github.com/zargo-io/zargo/internal/engine"
	"github.com/zargo-io/zargo/internal/grow"
)

// Writer extends an array by rows that come over time, a few at a time. It writes each chunk, or
// shard, once: as soon as it has all of its rows. It is for one goroutine at a time.
//
//	w, err := zarr.NewWriter[float32](ctx, a, 0, zarr.AppendOptions{})
//	for day := range days {
//		err = w.Write(ctx, day)
//	}
//	a, err = w.Close(ctx)
//
// It holds the claim of an append (see [Append]) from NewWriter to Close. The shape grows with each
// row of chunks, so a reader sees whole chunks and never a hole. [Writer.Flush] makes rows readable
// before their chunks are full; such chunks are read and written again when they are full. If a
// process is killed, the rows that it did not flush are lost. A new Writer that takes its claim
// over continues after the readable rows.
//
// Large shards are not collected in memory: each row of inner chunks is encoded and sent in parts
// as soon as it is complete, and the shards show when they are complete. Readable rows of such a
// shard are carried over as they are stored. If another process writes to them at that moment, the
// Writer fails with ErrConflict.
type Writer[T any] struct{ w *grow.Writer[T] }

// NewWriter begins to append rows to an array along an axis. ErrConflict: another Writer or Append
// is in progress, or the array changed since it was opened; AppendOptions say otherwise.
//
// A Writer takes the memory of one row of chunks, in a sharded array of shards: all elements at as
// many indexes of the axis as one of them has, and the memory to encode them. Of shards for which
// this is far more, it takes one row of inner chunks, and a part or two of each shard of the row.
// Shards of elements that vary in length are always collected.
func NewWriter[T any](ctx context.Context, a *Array, axis int, o AppendOptions) (*Writer[T], error) {
	if err := a.growable(axis); err != nil {
		return nil, a.errf(err)
	}
	if _, err := regionOf[T](a, 0, along(axis, Range(0, 0))); err != nil {
		return nil, err
	}
	put := func(ctx context.Context, view grow.Array, shards func(coord []int) *engine.ShardWriter, rows []T, from, to int) error {
		return Write(ctx, viewed(view).into(shards), rows, along(axis, Range(from, to))...)
	}
	w, err := grow.NewWriter(ctx, growing{a}, axis, put, o.grow())
	if err != nil {
		return nil, err
	}
	return &Writer[T]{w}, nil
}

// Write takes a whole number of rows in C order (ErrSelection). It returns once they are in memory
// or stored; the caller may change rows then. After an error the Writer only takes Close, and rows
// that are not readable are lost.
func (w *Writer[T]) Write(ctx context.Context, rows []T) error { return w.w.Write(ctx, rows) }

// Flush makes all rows readable. It writes chunks that are not full, which are written again later:
// rows that are flushed one by one cost as much as as many calls of Append.
func (w *Writer[T]) Flush(ctx context.Context) error { return w.w.Flush(ctx) }

// Close makes all rows readable, ends the claim and returns the array as it is then. After an error
// of Write or Flush it only ends the claim, and returns that error.
func (w *Writer[T]) Close(ctx context.Context) (*Array, error) {
	err := w.w.Close(ctx)
	return w.Array(), err
}

// Array returns the array as others see it by now: with the rows that are readable.
func (w *Writer[T]) Array() *Array { return viewed(w.w.Array()) }

// Next returns the index of the next row that Write takes.
func (w *Writer[T]) Next() int { return w.w.Next() }
