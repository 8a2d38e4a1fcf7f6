package main

import (
	"context"
	"iter"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// A selection may be larger than memory. It is cut into bands: parts that follow one another in C order, each small
// enough to hold, cut at chunk boundaries so that no chunk is read twice and none is written in part. Only a list can ask for
// that, where it comes back to a chunk or has more of one than there is room for.

// maxBand is how many bytes are held at a time: 128 chunks of 1 MiB keep a bucket's 128 requests busy.
const maxBand = 128 << 20

// band is one part, and its bytes.
type band struct {
	region
	bytes int
}

// bands cuts what is selected of an array, at boundaries of chunks or, to write, of shards. The parts follow one another in C
// order.
func bands(ctx context.Context, a *zarr.Array, r region, chunks chunking) (iter.Seq[band], error) {
	memory := concurrency.Memory() / 2
	return cut(ctx, r, chunks, a.DType().Size(), min(maxBand, memory), memory)
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

// steps is how often a loop that may be long goes round before it looks whether it is to end: a millisecond or so.
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

// around gives which elements of a range lie in the chunk of the i-th one: from first on, which may be before the range, and no
// longer from next on.
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

// cut makes bands of about target bytes each, or of one row of chunks; fault.Limit when that is more than limit.
func cut(ctx context.Context, r region, chunks chunking, elem int, target, limit int64) (iter.Seq[band], error) {
	return cutBy(ctx, r, chunks, elem, func() int64 { return target }, limit)
}

// cutBy is cut with another target for each band.
func cutBy(ctx context.Context, r region, chunks chunking, elem int, target func() int64, limit int64) (iter.Seq[band], error) {
	total, err := r.bytes(elem)
	if err != nil {
		return nil, err
	}
	if total == 0 {
		return func(func(band) bool) {}, nil
	}
	if len(r) == 0 || total <= target() {
		return func(yield func(band) bool) { yield(band{r, int(total)}) }, nil
	}
	k := 0 // the axis to cut along: those before it have length 1
	for k < len(r)-1 && r[k].count == 1 {
		k++
	}
	row := total / int64(r[k].count)
	rows := 1 // of a row of chunks; a list may be cut anywhere
	if r[k].list == nil {
		if rows, err = chunks.most(ctx, k, r[k]); err != nil {
			return nil, err
		}
	}
	if int64(rows) > limit/row {
		return nil, fault.Newf(fault.Limit, "a row of chunks of the selection, of shape %v, is more than the %d bytes that this process may hold: select less",
			r.part(k, 0, rows).shape(), limit)
	}
	ends := r[k].ends(chunks, k, func() int64 { return max(target()/row, 1) }, limit/row)
	return func(yield func(band) bool) {
		from := 0
		for to := range ends {
			if !yield(band{r.part(k, from, to), int(row * int64(to-from))}) {
				return
			}
			from = to
		}
	}, nil
}

// ends yields where to cut the elements 0 to count of an axis: after about want of them, at chunk boundaries, but never more
// than most, which only a list can be. A range is cut by arithmetic, however long it is, and a list is in memory.
func (a axis) ends(chunks chunking, k int, want func() int64, most int64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for from := 0; from < a.count; {
			to := a.count
			if want := want(); want < int64(a.count-from) {
				to = from + int(want)
				if a.list == nil {
					first, next := chunks.around(k, a, to)
					if to = first; to <= from {
						to = next
					}
				} else {
					to = a.boundary(chunks, k, from, to, most)
				}
			}
			if !yield(to) {
				return
			}
			from = to
		}
	}
}

// boundary is the last boundary of chunks in a list after from and up to to, or else the next one, within most elements.
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
