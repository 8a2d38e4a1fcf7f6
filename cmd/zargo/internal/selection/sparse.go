package selection

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/zargo-io/zargo/cmd/zargo/internal/census"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/compute"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// A few bytes of metadata may declare any number of elements. The amount of stored data therefore
// bounds the memory and the time to print an array.

const (
	// MaxElements is the maximum number of elements to print from a sparse selection. Printing them
	// takes a few seconds.
	MaxElements = 200_000_000
	// maxObjects is the maximum number of chunks or shards in such a selection. Each chunk or shard
	// costs one request.
	maxObjects = 200_000
	// LeastStored sets the required density of larger selections: at least one of every LeastStored
	// objects must be stored.
	LeastStored = 100
)

// Dense returns fault.Limit for a selection of more than MaxElements elements or maxObjects objects
// if fewer than 1 in LeastStored of the objects are stored. rank is the number of axes of the
// stored array; a may be a field of that array. Dense accepts the selection if the store cannot
// list.
func Dense(ctx context.Context, a *zarr.Array, rank int, r Region) error {
	elements, objects := 1.0, 1.0
	chunks := r.objects(a, rank)
	for k, along := range r {
		if along.Count == 0 {
			return nil
		}
		elements *= float64(along.Count)
		if k < rank {
			objects *= float64(min(along.Count, chunks.Shape[k]))
		}
	}
	if elements <= MaxElements && objects <= maxObjects {
		return nil
	}
	stored, err := census.Stored(ctx, a, chunks.At, chunks.Shape, objects/LeastStored)
	if err != nil || stored >= objects/LeastStored {
		return context.Cause(ctx) // the store cannot list
	}
	return fault.Newf(fault.Limit, "only %.0f of %.0f chunks of the %.0f selected elements are stored: select less, or use --all to include fill values", stored, objects, elements)
}

// heldBands cuts a box of a selection into bands. A read decodes whole chunks, so a band may exceed
// the limit of bands by up to one chunk to avoid decoding the chunk twice. Bands of chunks that are
// not stored stay within the limit.
func heldBands(ctx context.Context, a *zarr.Array, r Region, bands walk.Bands, of walk.Box) iter.Seq[walk.Box] {
	long, chunk := bands, chunkBytes(a, bands.Each)
	if chunk <= bands.Limit() || a.Sharded() || compute.InRanges(a) {
		return bands.Of(of)
	}
	long.Limit = func() int64 { return max(chunk, bands.Limit()) }
	return func(yield func(walk.Box) bool) {
		for b := range long.Of(of) {
			parts := bands.Of(b)
			if b.Bytes(bands.Each) <= bands.Limit() || stored(ctx, a, r.in(b)) {
				parts = func(yield func(walk.Box) bool) { yield(b) }
			}
			for b := range parts {
				if !yield(b) {
					return
				}
			}
		}
	}
}

// chunkBytes returns the memory of an array's first chunk, with elem bytes per element. The result
// is at most half of the process's memory.
func chunkBytes(a *zarr.Array, elem int64) int64 {
	first := walk.Object(a, make([]int, len(a.Shape())))
	return min(first.Bytes(elem), concurrency.Memory()/2)
}

// maxProbed is the maximum number of chunks of a band that are requested to find out whether they
// are stored. A band with more chunks contains only a small part of each chunk.
const maxProbed = 16

// stored reports whether a region may contain stored chunks. It returns false without a check if
// the region selects a list or is in more than maxProbed chunks.
func stored(ctx context.Context, a *zarr.Array, r Region) bool {
	rank := len(a.GridShape())
	chunks := r.objects(a, min(rank, len(r)))
	if len(r) > rank || chunks.Len() > maxProbed || slices.ContainsFunc(r, func(x Axis) bool { return x.List != nil }) {
		return false
	}
	for coord := range chunks.Positions() {
		_, err := a.Store().Get(ctx, a.ChunkKey(coord...), store.GetOptions{Range: store.Within(0, 1)}, nil)
		if !errors.Is(err, fault.NotFound) {
			return true
		}
	}
	return false
}

// objects returns the positions of the chunks or shards in which a region of an array begins and
// ends, and of those between them, along the first rank axes. Along an axis with a list it returns
// all positions.
func (r Region) objects(a *zarr.Array, rank int) walk.Box {
	b := walk.Box{At: make([]int, rank), Shape: slices.Clone(a.Shape()[:rank])}
	for k, along := range r[:rank] {
		if along.List == nil && along.Count > 0 {
			first, last := along.At(0), along.At(along.Count-1)
			b.At[k] = min(first, last)
			b.Shape[k] = max(first, last) - b.At[k] + 1
		}
	}
	return walk.Overlapping(a, b)
}
