package zarr

import (
	"context"

	"github.com/zargo-io/zargo/internal/engine"
	"github.com/zargo-io/zargo/internal/grow"
)

// Writer makes an array longer by rows that come over time, a few at a time, and writes each chunk,
// or shard, once: as soon as it has all of its rows. It is for one goroutine at a time.
//
//	w, err := zarr.NewWriter[float32](ctx, a, 0)
//	for day := range days {
//		err = w.Write(ctx, day)
//	}
//	a, err = w.Close(ctx)
//
// It holds the claim of an append (see [Append]) from NewWriter to Close. The shape grows with each
// row of chunks, so a reader sees whole chunks and never a hole; [Writer.Flush] makes rows readable
// before their chunks are full, which then are read and written again when they are. What was not
// flushed when a process is killed is gone: a new Writer, with [TakeOver], goes on behind what is
// readable.
//
// Large shards are not collected in memory: each row of inner chunks is encoded and sent in parts
// as soon as it is there, and the shards show when they are complete. Where such a shard has
// readable rows already, they are carried over as they are stored; should another process write to
// them at that moment the Writer fails with ErrConflict.
type Writer[T any] struct{ w *grow.Writer[T] }

// NewWriter begins to append rows to an array along an axis. ErrConflict when another Writer or
// Append is under way, or the array changed since it was opened; see [Wait] and [TakeOver]. The
// memory it takes is one row of chunks: what the array has at as many indexes of the axis as one
// chunk, of a sharded array one shard, and what encoding them takes. Of shards for which this is
// far more, it is one row of inner chunks, and a part or two of each shard of the row; shards of
// elements that vary in length are always collected.
func NewWriter[T any](ctx context.Context, a *Array, axis int) (*Writer[T], error) {
	if err := a.growable(axis); err != nil {
		return nil, a.errf(err)
	}
	if _, err := regionOf[T](a, 0, along(axis, Range(0, 0))); err != nil {
		return nil, err
	}
	put := func(ctx context.Context, view grow.Array, shards func(coord []int) *engine.ShardWriter, rows []T, from, to int) error {
		return Write(ctx, viewed(view).into(shards), rows, along(axis, Range(from, to))...)
	}
	w, err := grow.NewWriter(ctx, growing{a}, axis, put, a.growth())
	if err != nil {
		return nil, err
	}
	return &Writer[T]{w}, nil
}

// Write takes rows, in C order: a whole number of them (ErrSelection). It returns once they are in
// memory or stored; rows is the caller's again. After an error the Writer only takes Close, and
// rows that are not readable by then are lost.
func (w *Writer[T]) Write(ctx context.Context, rows []T) error { return w.w.Write(ctx, rows) }

// Flush makes all rows readable. Chunks that are not full are written, and will be again: some rows
// at a time, flushed one by one, cost as much as as many calls of Append.
func (w *Writer[T]) Flush(ctx context.Context) error { return w.w.Flush(ctx) }

// Close makes all rows readable and ends the claim, and returns the array as it is then. After an
// error of Write or Flush it ends the claim alone, and gives that error.
func (w *Writer[T]) Close(ctx context.Context) (*Array, error) {
	err := w.w.Close(ctx)
	return w.Array(), err
}

// Array is the array as others see it by now: with the rows that are readable.
func (w *Writer[T]) Array() *Array { return viewed(w.w.Array()) }

// Next is the index of the next row that Write takes.
func (w *Writer[T]) Next() int { return w.w.Next() }
