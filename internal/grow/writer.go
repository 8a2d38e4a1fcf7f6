package grow

import (
	"context"
	"errors"
	"runtime"

	"github.com/zargo-io/zargo/internal/chunk/engine"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/internal/node/array"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Writer appends rows that arrive over time, a few per call. A Writer is not safe for concurrent
// use. See zarr.Writer.
type Writer[T any] struct {
	a     *array.Array // the array as last committed
	put   Put[T]
	rows  *claimed
	axis  int
	outer int // number of runs: the product of the extents before axis
	inner int // elements per row and run: the product of the extents after axis

	buf      []T // rows of one row of chunks or inner chunks, from base; each run has room for capacity rows
	capacity int // rows that buf can hold
	have     int // rows in buf
	base     int // index of the first row of buf
	flushed  int // rows of buf that are readable
	err      error

	piece  int       // rows of an inner chunk if shards are streamed, else 0
	shards *shardRow // open shards with the rows before base that are not readable; may be nil
}

// Put writes the rows [from, to) of the axis, to the store if shards is nil. Otherwise it writes to
// open shards, and shards(coord) returns the writer of the shard at coord.
type Put[T any] func(ctx context.Context, view *array.Array, shards func(coord []int) *engine.ShardWriter, rows []T, from, to int) error

// NewWriter returns a Writer and claims the rows up to the end of a row of chunks.
func NewWriter[T any](ctx context.Context, a *array.Array, axis int, put Put[T], o Options) (*Writer[T], error) {
	w := &Writer[T]{axis: axis, put: put}
	err := o.retrying(ctx, a, func(b *array.Array) (bool, error) { return true, w.begin(ctx, b, o) })
	if err != nil {
		return nil, a.Errorf(err)
	}
	w.rows.held.Keep(ctx)
	runtime.AddCleanup(w, (*node.Held).Leave, w.rows.held) // for a Writer that is not closed
	w.a = w.rows.a
	w.base = extentOf(w.a, axis)
	if w.piece, err = streamedRows(ctx, w.a, axis, w.capacity); err != nil {
		return nil, a.Errorf(w.rows.giveUp(ctx, err))
	}
	if w.piece > 0 {
		w.have = w.base % w.piece
		w.base, w.flushed, w.capacity = w.base-w.have, w.have, w.piece
	}
	return w, nil
}

// begin claims the first rows.
func (w *Writer[T]) begin(ctx context.Context, a *array.Array, o Options) error {
	a, from, err := o.due(ctx, a, w.axis)
	if err != nil {
		return err
	}
	w.outer, w.inner = 1, 1
	shape := shapeOf(a)
	for i, n := range shape {
		if i < w.axis {
			w.outer *= n
		} else if i > w.axis {
			w.inner *= n
		}
	}
	if w.outer*w.inner == 0 {
		return fault.Newf(fault.Selection, "a row of an array of shape %v has no elements", shape)
	}
	if w.capacity, err = rest(a, w.axis, from); err != nil {
		return err
	}
	w.rows, err = claimRows(ctx, a, appendTo(w.axis, from, from+w.capacity), o.Over, nil)
	return err
}

// Write appends whole rows. When Write returns, the rows are buffered or stored, and the caller may
// reuse the slice.
func (w *Writer[T]) Write(ctx context.Context, rows []T) error {
	row := w.outer * w.inner
	switch {
	case w.err != nil:
		return w.err
	case len(rows)%row != 0:
		return w.a.Errorf(fault.Newf(fault.Selection, "%d elements are not a multiple of %d, the elements of a row", len(rows), row))
	}
	n := len(rows) / row
	for at := 0; at < n; {
		if w.capacity == 0 {
			if err := w.next(); err != nil {
				return w.fail(err)
			}
		}
		if w.buf == nil {
			w.buf = make([]T, w.outer*w.capacity*w.inner)
		}
		k := min(n-at, w.capacity-w.have)
		for i := range w.outer {
			copy(w.buf[(i*w.capacity+w.have)*w.inner:], rows[(i*n+at)*w.inner:(i*n+at+k)*w.inner])
		}
		at += k
		if w.have += k; w.have == w.capacity {
			if err := w.full(ctx); err != nil {
				return w.fail(err)
			}
		}
	}
	return nil
}

// next begins the next row of chunks.
func (w *Writer[T]) next() error {
	capacity, err := rest(w.a, w.axis, w.base)
	if err != nil {
		return w.a.Errorf(err)
	}
	if w.piece > 0 {
		capacity = w.piece
	}
	if len(w.buf) != w.outer*capacity*w.inner {
		w.buf = nil
	}
	w.capacity = capacity
	return nil
}

func (w *Writer[T]) fail(err error) error {
	w.err = err
	return err
}

// full stores the buffered rows, which fill a row of chunks or of inner chunks.
func (w *Writer[T]) full(ctx context.Context) error {
	if w.piece == 0 || w.flushed > 0 {
		return w.store(ctx, false)
	}
	if err := w.send(ctx); err != nil {
		return err
	}
	w.base, w.have = w.base+w.capacity, 0
	if w.base < w.shards.to {
		return nil
	}
	w.capacity = 0
	return w.store(ctx, false)
}

// Flush makes all rows readable. It stores incomplete chunks, which later calls replace.
func (w *Writer[T]) Flush(ctx context.Context) error {
	if w.err != nil || !w.pending() {
		return w.err
	}
	if err := w.store(ctx, false); err != nil {
		return w.fail(err)
	}
	return nil
}

// pending reports whether some rows are not yet readable.
func (w *Writer[T]) pending() bool { return w.have > w.flushed || w.shards != nil }

// store makes the buffered rows and the open shards readable. If last is set, store ends the claim,
// otherwise it moves the claim to the next rows. It does not write rows that are already readable,
// since another process may have changed them.
func (w *Writer[T]) store(ctx context.Context, last bool) error {
	if err := w.write(ctx); err != nil {
		return err
	}
	end, next := w.base+w.have, 0
	if !last {
		// The next Write returns the error if the next rows are beyond the largest extent.
		next, _ = rest(w.a, w.axis, end)
	}
	a, err := w.rows.commit(ctx, end-extentOf(w.a, w.axis), next)
	if err != nil {
		return w.a.Errorf(err)
	}
	w.a = a
	if w.flushed = w.have; w.have == w.capacity {
		w.base, w.have, w.flushed, w.capacity = w.base+w.capacity, 0, 0, 0
	}
	return nil
}

// write stores the rows that are not yet readable.
func (w *Writer[T]) write(ctx context.Context) error {
	if w.shards != nil {
		if w.have > 0 {
			if err := w.send(ctx); err != nil {
				return err
			}
		}
		err := w.shards.commit(ctx)
		w.shards = nil
		if err != nil {
			return w.a.Errorf(err)
		}
		return nil
	}
	b, err := w.view()
	if err != nil {
		return err
	}
	return w.put(ctx, b, nil, w.held(w.flushed), w.base+w.flushed, w.base+w.have)
}

// send writes the buffered rows to the open shards. The rows are not readable yet.
func (w *Writer[T]) send(ctx context.Context) error {
	b, err := w.view()
	if err != nil {
		return err
	}
	if w.shards == nil {
		if w.shards, err = openShards(ctx, b, w.axis, w.base, extentOf(w.a, w.axis)); err != nil {
			return w.a.Errorf(err)
		}
	}
	return w.put(ctx, b, w.shards.at, w.held(0), w.base, w.base+w.have)
}

// view returns the array extended by all buffered rows.
func (w *Writer[T]) view() (*array.Array, error) {
	return w.rows.view(w.base + w.have - extentOf(w.a, w.axis))
}

// held returns the buffered rows from index from on, one run after another.
func (w *Writer[T]) held(from int) []T {
	if from == 0 && w.have == w.capacity || w.outer == 1 {
		return w.buf[from*w.inner : w.outer*w.have*w.inner]
	}
	out := make([]T, 0, w.outer*(w.have-from)*w.inner)
	for i := range w.outer {
		out = append(out, w.buf[(i*w.capacity+from)*w.inner:(i*w.capacity+w.have)*w.inner]...)
	}
	return out
}

// errClosed is the error of methods that are called after Close.
var errClosed = errors.New("zarr: the Writer is closed")

// Close makes all rows readable and ends the claim. If Write or Flush has failed, Close only ends
// the claim and returns the error of that call.
func (w *Writer[T]) Close(ctx context.Context) error {
	was := w.err
	w.err = errClosed
	switch {
	case errors.Is(was, errClosed):
		return nil
	case was != nil:
		return w.giveUp(ctx, was)
	case w.pending():
		err := w.store(ctx, true)
		if err != nil {
			return w.giveUp(ctx, err)
		}
		return nil
	}
	if err := w.rows.held.GiveUp(ctx, false); err != nil {
		return w.a.Errorf(err)
	}
	a, err := w.a.Parse(w.rows.held.Doc())
	if err != nil {
		return w.a.Errorf(err)
	}
	w.a = a
	return nil
}

func (w *Writer[T]) giveUp(ctx context.Context, err error) error {
	w.shards.abort(ctx)
	return w.rows.giveUp(ctx, err)
}

// Array returns the array with the readable rows.
func (w *Writer[T]) Array() *array.Array { return w.a }

// Next returns the index of the next row that Write appends.
func (w *Writer[T]) Next() int { return w.base + w.have }
