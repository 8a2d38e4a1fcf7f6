package zarr

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
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
type Writer[T any] struct {
	a     *Array // as it is stored by now
	g     *growth
	axis  int
	outer int // runs of rows: the product of the axes before axis
	inner int // elements of a run for each row: the product of those after it

	buf     []T // rows of one row of chunks, or inner chunks, from base on; each run has room for all of them
	room    int // rows
	have    int // rows in buf
	base    int // index of the first
	flushed int // rows of buf that are readable
	err     error

	piece  int       // rows of an inner chunk where shards are streamed; else 0
	shards *shardRow // those under way, which have the rows before base that are not readable; nil: there are none
}

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
	w := &Writer[T]{axis: axis}
	err := a.waiting(ctx, func(b *Array) error {
		w.outer, w.inner = 1, 1
		for i, n := range b.meta.Shape {
			if i < axis {
				w.outer *= n
			} else if i > axis {
				w.inner *= n
			}
		}
		if w.outer*w.inner == 0 {
			return fault.Newf(fault.Selection, "rows of an array of the shape %v have no elements", b.meta.Shape)
		}
		room, err := b.rest(axis, b.meta.Shape[axis])
		if err != nil {
			return err
		}
		w.room = room
		w.g, err = b.grow(ctx, axis, room)
		return err
	})
	if err != nil {
		return nil, a.errf(err)
	}
	w.a = w.g.a
	w.base = w.a.meta.Shape[axis]
	if w.piece, err = streamedRows(ctx, w.a, axis, w.room); err != nil {
		w.g.giveUp(ctx)
		return nil, a.errf(err)
	}
	if w.piece > 0 {
		w.have = w.base % w.piece
		w.base, w.flushed, w.room = w.base-w.have, w.have, w.piece
	}
	return w, nil
}

// rest is how many rows there are from one on to the end of its chunk.
func (a *Array) rest(axis, at int) (int, error) {
	b := a
	if n := a.meta.Shape[axis]; at >= n {
		var err error
		if b, err = a.long(axis, at-n+1); err != nil {
			return 0, err
		}
	}
	_, start, length := b.ChunkAt(axis, at)
	return start + length - at, nil
}

// Write takes rows, in C order: a whole number of them (ErrSelection). It returns once they are in
// memory or stored; rows is the caller's again. After an error the Writer only takes Close, and
// rows that are not readable by then are lost.
func (w *Writer[T]) Write(ctx context.Context, rows []T) error {
	row := w.outer * w.inner
	switch {
	case w.err != nil:
		return w.err
	case len(rows)%row != 0:
		return w.a.errf(fault.Newf(fault.Selection, "%d elements are no whole number of rows of %d", len(rows), row))
	}
	n := len(rows) / row
	for at := 0; at < n; {
		if w.room == 0 {
			if err := w.next(); err != nil {
				return w.fail(err)
			}
		}
		if w.buf == nil {
			w.buf = make([]T, w.outer*w.room*w.inner)
		}
		k := min(n-at, w.room-w.have)
		for i := range w.outer {
			copy(w.buf[(i*w.room+w.have)*w.inner:], rows[(i*n+at)*w.inner:(i*n+at+k)*w.inner])
		}
		at += k
		if w.have += k; w.have == w.room {
			if err := w.full(ctx); err != nil {
				return w.fail(err)
			}
		}
	}
	return nil
}

// next begins a row of chunks.
func (w *Writer[T]) next() error {
	room, err := w.a.rest(w.axis, w.base)
	if err != nil {
		return w.a.errf(err)
	}
	if w.piece > 0 {
		room = w.piece
	}
	if len(w.buf) != w.outer*room*w.inner {
		w.buf = nil
	}
	w.room = room
	return nil
}

func (w *Writer[T]) fail(err error) error {
	w.err = err
	return err
}

// full stores the rows in memory, which are a row of chunks.
func (w *Writer[T]) full(ctx context.Context) error {
	if w.piece == 0 || w.flushed > 0 {
		return w.store(ctx, false)
	}
	if err := w.send(ctx); err != nil {
		return err
	}
	w.base, w.have = w.base+w.room, 0
	if w.base < w.shards.to {
		return nil
	}
	w.room = 0
	return w.store(ctx, false)
}

// Flush makes all rows readable. Chunks that are not full are written, and will be again: some rows
// at a time, flushed one by one, cost as much as as many calls of Append.
func (w *Writer[T]) Flush(ctx context.Context) error {
	if w.err != nil || !w.pending() {
		return w.err
	}
	if err := w.store(ctx, false); err != nil {
		return w.fail(err)
	}
	return nil
}

// pending reports whether there are rows that are not readable.
func (w *Writer[T]) pending() bool { return w.have > w.flushed || w.shards != nil }

// store makes the rows in memory and in shards under way readable; the last ones end the claim.
// Rows that are readable are not written again: who changed them since would lose that.
func (w *Writer[T]) store(ctx context.Context, last bool) error {
	if err := w.put(ctx); err != nil {
		return err
	}
	end, next := w.base+w.have, 0
	if !last {
		// The next chunks may be beyond the end of the grid: then Write says so.
		next, _ = w.a.rest(w.axis, end)
	}
	a, err := w.g.commit(ctx, end-w.a.meta.Shape[w.axis], next)
	if err != nil {
		return w.a.errf(err)
	}
	w.a = a
	if w.flushed = w.have; w.have == w.room {
		w.base, w.have, w.flushed, w.room = w.base+w.room, 0, 0, 0
	}
	return nil
}

// put stores the rows that are not readable.
func (w *Writer[T]) put(ctx context.Context) error {
	if w.shards != nil {
		if w.have > 0 {
			if err := w.send(ctx); err != nil {
				return err
			}
		}
		err := w.shards.commit(ctx)
		w.shards = nil
		if err != nil {
			return w.a.errf(err)
		}
		return nil
	}
	b, err := w.g.view(w.base + w.have - w.a.meta.Shape[w.axis])
	if err != nil {
		return err
	}
	return Write(ctx, b, w.rows(w.flushed), along(w.axis, Range(w.base+w.flushed, w.base+w.have))...)
}

// send puts the rows in memory, none of which is readable, into the shards under way.
func (w *Writer[T]) send(ctx context.Context) error {
	b, err := w.g.view(w.base + w.have - w.a.meta.Shape[w.axis])
	if err != nil {
		return err
	}
	if w.shards == nil {
		if w.shards, err = openShards(ctx, b, w.axis, w.base, w.a.meta.Shape[w.axis]); err != nil {
			return w.a.errf(err)
		}
	}
	return Write(ctx, b.into(w.shards.at), w.rows(0), along(w.axis, Range(w.base, w.base+w.have))...)
}

// rows are those in memory from one on, one run after another.
func (w *Writer[T]) rows(from int) []T {
	if from == 0 && w.have == w.room || w.outer == 1 {
		return w.buf[from*w.inner : w.outer*w.have*w.inner]
	}
	out := make([]T, 0, w.outer*(w.have-from)*w.inner)
	for i := range w.outer {
		out = append(out, w.buf[(i*w.room+from)*w.inner:(i*w.room+w.have)*w.inner]...)
	}
	return out
}

// Close makes all rows readable and ends the claim, and returns the array as it is then. After an
// error of Write or Flush it ends the claim alone, and gives that error.
func (w *Writer[T]) Close(ctx context.Context) (*Array, error) {
	switch {
	case errors.Is(w.err, errClosed):
		return w.a, nil
	case w.err != nil:
		err := w.err
		w.err = errClosed
		w.shards.abort(ctx)
		w.g.giveUp(ctx)
		return w.a, err
	case w.pending():
		err := w.store(ctx, true)
		if err != nil {
			w.shards.abort(ctx)
			w.g.giveUp(ctx)
		}
		w.err = errClosed
		return w.a, err
	}
	w.err = errClosed
	if err := w.g.held.GiveUp(ctx, false); err != nil {
		return w.a, w.a.errf(err)
	}
	a, err := w.a.reparsed(w.g.held.Doc())
	if err != nil {
		return w.a, w.a.errf(err)
	}
	w.a = a
	return a, nil
}

// errClosed says that a Writer was used after Close.
var errClosed = errors.New("zarr: the Writer is closed")

// Array is the array as others see it by now: with the rows that are readable.
func (w *Writer[T]) Array() *Array { return w.a }

// Next is the index of the next row that Write takes.
func (w *Writer[T]) Next() int { return w.base + w.have }
