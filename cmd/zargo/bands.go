package main

import (
	"iter"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
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
func bands(a *zarr.Array, r region, chunks chunking) (iter.Seq[band], error) {
	return bandsOf(a.DType(), r, chunks)
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

// start is where the chunk begins that holds element i along an axis.
func (c chunking) start(axis, i int) int {
	if c.shape != nil {
		return i - i%c.shape[axis]
	}
	_, start, _ := c.at(axis, i)
	return start
}

// most bounds how many elements of a range along an axis lie in one chunk.
func (c chunking) most(k int, a axis) int {
	step := max(a.step, -a.step)
	if c.shape != nil {
		return min((c.shape[k]-1)/step+1, a.count)
	}
	most := 0
	for i := 0; i < a.count; {
		_, start, length := c.at(k, a.at(i))
		n := (a.at(i)-start)/step + 1
		if a.step > 0 {
			n = (length-1-(a.at(i)-start))/step + 1
		}
		most = max(most, min(n, a.count-i))
		i += n
	}
	return most
}

// bandsOf cuts elements that are held as a type.
func bandsOf(t dtype.Type, r region, chunks chunking) (iter.Seq[band], error) {
	memory := concurrency.Memory() / 2
	return cut(r, chunks, t.Size(), min(maxBand, memory), memory)
}

// cut makes bands of about target bytes each, or of one row of chunks; fault.Limit when that is more than limit.
func cut(r region, chunks chunking, elem int, target, limit int64) (iter.Seq[band], error) {
	total, err := r.bytes(elem)
	if err != nil {
		return nil, err
	}
	if total == 0 {
		return func(func(band) bool) {}, nil
	}
	if len(r) == 0 || total <= target {
		return func(yield func(band) bool) { yield(band{r, int(total)}) }, nil
	}
	k := 0 // the axis to cut along: those before it have length 1
	for k < len(r)-1 && r[k].count == 1 {
		k++
	}
	row := total / int64(r[k].count)
	rows := 1 // of a row of chunks; a list may be cut anywhere
	if r[k].list == nil {
		rows = chunks.most(k, r[k])
	}
	if int64(rows) > limit/row {
		return nil, fault.Newf(fault.Limit, "a row of chunks of the selection, of shape %v, is more than the %d bytes that this process may hold: select less",
			r.part(k, 0, rows).shape(), limit)
	}
	ends := r[k].ends(chunks, k, max(target/row, 1), limit/row)
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
// than most, which only a list can be.
func (a axis) ends(chunks chunking, k int, want, most int64) iter.Seq[int] {
	// boundary tells whether another chunk begins with the i-th element.
	boundary := func(i int) bool { return chunks.start(k, a.at(i-1)) != chunks.start(k, a.at(i)) }
	return func(yield func(int) bool) {
		for from := 0; from < a.count; {
			to := a.count
			if want < int64(a.count-from) {
				to = from + int(want)
				for to > from && !boundary(to) {
					to--
				}
				if to == from {
					for to++; to < a.count && int64(to-from) < most && !boundary(to); to++ {
					}
				}
			}
			if !yield(to) {
				return
			}
			from = to
		}
	}
}
