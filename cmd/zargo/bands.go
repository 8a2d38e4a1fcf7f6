package main

import (
	"context"
	"iter"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// A selection may be larger than memory. Commands therefore divide it into bands: consecutive parts
// in C order that fit in memory. If a row of chunks fits in memory, bands end at chunk boundaries.
// No chunk is then read twice or written in part.

// maxBand is the default maximum size of a band in bytes. A band of 128 chunks of 1 MiB uses all
// 128 concurrent requests of a bucket.
const maxBand = 128 << 20

// band is a part of a selection and its size in bytes.
type band struct {
	region
	bytes int
}

// bandsToWrite divides a selection of an array into bands that end at the boundaries of stored
// objects. The bands are consecutive in C order. each is the size of an element in memory.
func bandsToWrite(ctx context.Context, a *zarr.Array, r region, each int) (iter.Seq[band], error) {
	memory := concurrency.Memory() / 2
	return cut(ctx, r, objectsOf(a), each, min(maxBand, memory), memory)
}

// chunking describes the division of an array into chunks or shards.
type chunking struct {
	shape []int // shape of all chunks; nil if they differ
	// at returns the chunk that contains element i along an axis. It is not called if shape is set.
	at func(axis, i int) (chunk, start, length int)
}

// chunksOf returns the division of an array into chunks, which can be read independently. In shards
// these are the inner chunks.
func chunksOf(a *zarr.Array) chunking { return chunking{a.Chunks(), a.ChunkAt} }

// objectsOf returns the division of an array into stored objects.
func objectsOf(a *zarr.Array) chunking {
	switch {
	case !a.Regular():
		return chunking{at: a.ChunkAt}
	case a.Sharded():
		return chunking{shape: a.Shards()}
	}
	return chunking{shape: a.Chunks()}
}

// span returns the start and the length of the chunk that contains element i along an axis.
func (c chunking) span(axis, i int) (start, length int) {
	if c.shape != nil {
		n := c.shape[axis]
		return i - i%n, n
	}
	_, start, length = c.at(axis, i)
	return start, length
}

// steps is the number of iterations between two checks of the context in a long loop. 65,536
// iterations take about a millisecond.
const steps = 1 << 16

// most returns the maximum number of selected elements along axis k in one chunk.
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

// around returns the range [first, next) of selected elements that are in the same chunk as the
// i-th. first may be negative.
func (c chunking) around(k int, a axis, i int) (first, next int) {
	start, length := c.span(k, a.at(i))
	before := a.at(i) - start // elements of the chunk before and after this one
	after := length - 1 - before
	if a.step < 0 {
		before, after = after, before
	}
	step := max(a.step, -a.step)
	return i - before/step, i + min(after/step, a.count-1-i) + 1
}

// cut divides a region into bands of about target bytes, or of one row of chunks if a row is
// larger. It returns fault.Limit if a row of chunks exceeds limit.
func cut(ctx context.Context, r region, chunks chunking, elem int, target, limit int64) (iter.Seq[band], error) {
	total, err := r.bytes(elem)
	if err != nil {
		return nil, err
	}
	k := r.first()
	if k < len(r) && total > target && r[k].list == nil { // a band of a list may end within a chunk
		rows, err := chunks.most(ctx, k, r[k])
		if err != nil {
			return nil, err
		}
		if row := total / int64(r[k].count); int64(rows) > limit/row {
			need := int64(rows) * row
			return nil, fault.Newf(fault.Limit, "a row of chunks of the selection, of shape %v, takes %d bytes of memory, more than %d, half of the memory limit: select less, or set GOMEMLIMIT to at least %d",
				r.part(k, 0, rows).shape(), need, limit, capped(capped(need, need), outsideHeap))
		}
	}
	return cutter{chunks, elem, always(target), always(limit)}.bands(r), nil
}

func always(n int64) func() int64 { return func() int64 { return n } }

// first returns the axis along which to divide a region: the first axis whose length is not 1.
func (r region) first() int {
	k := 0
	for k < len(r) && r[k].count == 1 {
		k++
	}
	return k
}

// cutter divides regions into bands.
type cutter struct {
	chunks chunking
	elem   int          // bytes of an element
	target func() int64 // approximate bytes of the next band, at most limit
	limit  func() int64 // maximum bytes of the next band; a band of one element may exceed it
}

// bands yields the bands of a region. It yields nothing if the region is empty or its size
// overflows an int64.
func (c cutter) bands(r region) iter.Seq[band] {
	return func(yield func(band) bool) {
		if total, err := r.bytes(c.elem); err == nil && total > 0 {
			c.cut(r, total, yield)
		}
	}
}

// cut yields the bands of r. It divides r along the first axis longer than 1. If one row along that
// axis exceeds the limit, it divides each row along the next axis.
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

// end returns the end of a band that starts at from: a chunk boundary after about want elements, or
// from+most if that is less. end searches a list for the boundary, and computes the boundary of a
// slice.
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

// boundary returns the last chunk boundary i of a list with from < i ≤ to. Without such a boundary,
// it returns the first one after to, limited to from+most and to the end of the list.
func (a axis) boundary(chunks chunking, k, from, to int, most int64) int {
	another := func(i int) bool { // the i-th element starts a new chunk
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
