package main

import (
	"context"
	"iter"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// A selection may be larger than memory. It is cut into bands: parts that follow one another in C
// order, each small enough to hold. They are cut at chunk boundaries where a row of chunks fits, so
// that no chunk is read twice and none is written in part.

// maxBand is the default bound in bytes on a band. 128 chunks of 1 MiB keep a bucket's 128 requests
// busy.
const maxBand = 128 << 20

// band is one part, and its bytes.
type band struct {
	region
	bytes int
}

// bandsToWrite cuts what is selected of an array at boundaries of stored objects. The bands follow
// one another in C order.
func bandsToWrite(ctx context.Context, a *zarr.Array, r region) (iter.Seq[band], error) {
	memory := concurrency.Memory() / 2
	return cut(ctx, r, objectsOf(a), a.DType().Size(), min(maxBand, memory), memory)
}

// chunking is how an array is cut into chunks, or shards.
type chunking struct {
	shape []int                                        // of all of them, where they have one
	at    func(axis, i int) (chunk, start, length int) // else the one that holds element i along an axis
}

// chunksOf is how an array is cut into what can be read by itself.
func chunksOf(a *zarr.Array) chunking { return chunking{a.Chunks(), a.ChunkAt} }

// objectsOf is how an array is cut into what is stored as one object.
func objectsOf(a *zarr.Array) chunking {
	switch {
	case !a.Regular():
		return chunking{at: a.ChunkAt}
	case a.Sharded():
		return chunking{shape: a.Shards()}
	}
	return chunking{shape: a.Chunks()}
}

// span is where the chunk begins that holds element i along an axis, and its length.
func (c chunking) span(axis, i int) (start, length int) {
	if c.shape != nil {
		n := c.shape[axis]
		return i - i%n, n
	}
	_, start, length = c.at(axis, i)
	return start, length
}

// steps is how often a loop that may be long goes round before it looks whether it is to end: a
// millisecond or so.
const steps = 1 << 16

// most bounds how many elements of a range along an axis lie in one chunk.
func (c chunking) most(ctx context.Context, k int, a axis) (int, error) {
	if c.shape != nil {
		return min((c.shape[k]-1)/max(a.step, -a.step)+1, a.count), nil
	}
	most := 0
	for i, n := 0, 0; i < a.count; n++ {
		if n%steps == 0 && ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		_, next := c.around(k, a, i)
		most = max(most, next-i)
		i = next
	}
	return most, nil
}

// around gives which elements of a range lie in the chunk of the i-th one: from first on, which may
// be before the range, and no longer from next on.
func (c chunking) around(k int, a axis, i int) (first, next int) {
	start, length := c.span(k, a.at(i))
	before := a.at(i) - start // elements of the chunk on either side
	after := length - 1 - before
	if a.step < 0 {
		before, after = after, before
	}
	step := max(a.step, -a.step)
	return i - before/step, i + min(after/step, a.count-1-i) + 1
}

// cut makes bands of about target bytes each, or of one row of chunks; fault.Limit when that is
// more than limit.
func cut(ctx context.Context, r region, chunks chunking, elem int, target, limit int64) (iter.Seq[band], error) {
	total, err := r.bytes(elem)
	if err != nil {
		return nil, err
	}
	k := r.first()
	if k < len(r) && total > target && r[k].list == nil { // a list may be cut anywhere
		rows, err := chunks.most(ctx, k, r[k])
		if err != nil {
			return nil, err
		}
		if row := total / int64(r[k].count); int64(rows) > limit/row {
			return nil, fault.Newf(fault.Limit, "a row of chunks of the selection, of shape %v, is more than the %d bytes that this process may hold: select less",
				r.part(k, 0, rows).shape(), limit)
		}
	}
	return cutter{chunks, elem, always(target), always(limit)}.bands(r), nil
}

func always(n int64) func() int64 { return func() int64 { return n } }

// first is the axis to cut a region along: those before it have length 1.
func (r region) first() int {
	k := 0
	for k < len(r) && r[k].count == 1 {
		k++
	}
	return k
}

// cutter cuts regions into bands.
type cutter struct {
	chunks chunking
	elem   int          // bytes of an element
	target func() int64 // bytes of the next band, about; no more than limit
	limit  func() int64 // bytes of the next band at most, but for one element; a longer row of chunks is cut within its chunks
}

// bands yields the bands of a region whose bytes an int64 holds.
func (c cutter) bands(r region) iter.Seq[band] {
	return func(yield func(band) bool) {
		if total, err := r.bytes(c.elem); err == nil && total > 0 {
			c.cut(r, total, yield)
		}
	}
}

// cut cuts along the first axis that is longer than 1, and along the next one where a row of that
// is too long.
func (c cutter) cut(r region, total int64, yield func(band) bool) bool {
	k := r.first()
	if k == len(r) || total <= c.target() {
		return yield(band{r, int(total)})
	}
	row := total / int64(r[k].count)
	for from, to := 0, 0; from < r[k].count; from = to {
		most := c.limit() / row
		if most < 1 {
			if to = from + 1; !c.cut(r.part(k, from, to), row, yield) {
				return false
			}
			continue
		}
		to = r[k].end(c.chunks, k, from, max(c.target()/row, 1), most)
		if !yield(band{r.part(k, from, to), int(row * int64(to-from))}) {
			return false
		}
	}
	return true
}

// end is where to cut an axis that was cut at from: after about want elements, at a chunk boundary,
// but after no more than most. A range is cut by arithmetic, however long it is, and a list is in
// memory.
func (a axis) end(chunks chunking, k, from int, want, most int64) int {
	if want >= int64(a.count-from) {
		return a.count
	}
	to := from + int(want)
	if a.list != nil {
		return a.boundary(chunks, k, from, to, most)
	}
	first, next := chunks.around(k, a, to)
	switch {
	case first > from:
		return first
	case int64(next-from) <= most:
		return next
	}
	return from + int(most)
}

// boundary is the last boundary of chunks in a list after from and up to to, or else the next one,
// within most elements.
func (a axis) boundary(chunks chunking, k, from, to int, most int64) int {
	another := func(i int) bool { // a chunk begins with the i-th element
		before, _ := chunks.span(k, a.at(i-1))
		start, _ := chunks.span(k, a.at(i))
		return before != start
	}
	for i := to; i > from; i-- {
		if another(i) {
			return i
		}
	}
	for to = from + 1; to < a.count && int64(to-from) < most && !another(to); to++ {
	}
	return to
}
