package selection

import (
	"iter"
	"math"
	"slices"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/internal/compute"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
)

// Source returns the elements of a region, which coding decodes unless it is nil. Its tiles consist
// of whole stored objects, so each object is requested once. A chunk that is read in ranges is
// divided as by Stream, and a larger shard into inner chunks.
func Source(a *zarr.Array, r Region, coding *cf.Coding) (compute.Source, error) {
	each := int64(a.DType().Size())
	s := compute.Source{Array: a, Coding: coding, Select: func(b walk.Box) []zarr.Selection { return r.in(b).Selections() }}
	if _, err := r.Bytes(int(each)); err != nil {
		return s, err
	}
	bands := walk.Bands{Axes: r.axes(a, walk.Chunks), Each: each, Target: walk.Always(BandBytes), Limit: walk.Always(BandBytes)}
	if slices.ContainsFunc(r, func(x Axis) bool { return x.List != nil }) {
		s.Tiles = bands.Of(bands.Whole()) // a list may alternate between chunks
		return s, nil
	}
	s.Tiles = tiles(a, r, bands)
	return s, nil
}

func tiles(a *zarr.Array, r Region, bands walk.Bands) iter.Seq[walk.Box] {
	whole, each := bands.Whole(), bands.Each
	elements := func(bytes int64) int { return int(max(bytes/each, 1)) }
	return func(yield func(walk.Box) bool) {
		for b := range walk.Tiles(r.axes(a, walk.Objects), elements(tileBytes), math.MaxInt) {
			parts, at := func(yield func(walk.Box) bool) { yield(b) }, make([]int, len(r))
			switch n := b.Bytes(each); {
			case n <= largeTile:
			case a.Sharded():
				// A tile takes at least one request, so it is as large as a band within the shard.
				k := whole.Row()
				band := BandBytes * float64(n) / float64(whole.Bytes(each)) * float64(whole.Shape[k]) / float64(b.Shape[k])
				parts, at = walk.Tiles(r.in(b).axes(a, walk.Chunks), elements(max(largeTile, int64(band))), elements(BandBytes)), b.At
			case compute.InRanges(a):
				parts = bands.Of(b)
			}
			for p := range parts {
				for k, n := range at {
					p.At[k] += n
				}
				if !yield(p) {
					return
				}
			}
		}
	}
}

const (
	// tileBytes is the approximate size of a tile of small chunks. Reading it takes longer than the
	// constant work for each tile. A tile needs no memory for its elements.
	tileBytes = 8 << 20
	// largeTile is the size of a tile above which it is divided if possible.
	largeTile = 16 << 20
)
