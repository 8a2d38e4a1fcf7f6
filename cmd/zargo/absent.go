package main

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// A chunk may be larger than a band. One that is stored is decoded as a whole, so there is nothing to be saved by printing it in
// parts; but where none is stored, the fill value need not be in memory a thousand million times.

// maxAsked is how many chunks of a band are asked for. Where there are more, each is no larger than a small part of a band.
const maxAsked = 16

// parted yields bands of elements of so many bytes as they are, but for those of more than maxBand of which no chunk is stored: these
// are cut anywhere, into parts of about target bytes.
func parted(ctx context.Context, a *zarr.Array, bands iter.Seq[band], elem int, target int64) iter.Seq[band] {
	return func(yield func(band) bool) {
		for b := range bands {
			parts := func(yield func(band) bool) { yield(b) }
			if b.bytes > maxBand && absent(ctx, a, b.region) {
				ones := chunking{shape: slices.Repeat([]int{1}, len(b.region))}
				if some, err := cut(ctx, b.region, ones, elem, target, maxBand); err == nil {
					parts = some
				}
			}
			for part := range parts {
				if !yield(part) {
					return
				}
			}
		}
	}
}

// absent reports whether the store has proved that it has none of a few chunks, or shards, which hold a region.
func absent(ctx context.Context, a *zarr.Array, r region) bool {
	keys := [][]int{nil}
	for k, along := range r {
		if along.list != nil || k >= len(a.GridShape()) {
			return false
		}
		var chunks []int
		for i := 0; i < along.count && len(chunks) <= maxAsked; {
			chunk, _, _ := a.ChunkAt(k, along.at(i))
			chunks = append(chunks, chunk)
			_, i = chunking{at: a.ChunkAt}.around(k, along, i)
		}
		if len(chunks)*len(keys) > maxAsked {
			return false
		}
		var next [][]int
		for _, key := range keys {
			for _, c := range chunks {
				next = append(next, append(key[:len(key):len(key)], c))
			}
		}
		keys = next
	}
	for _, key := range keys {
		_, err := a.Store().Get(ctx, a.ChunkKey(key...), store.GetOptions{Range: store.Within(0, 1)}, nil)
		if !errors.Is(err, fault.NotFound) {
			return false
		}
	}
	return true
}
