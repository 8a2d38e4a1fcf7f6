package selection

import (
	"context"
	"math"
	"slices"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// Tiles reads an array and calls use with one tile after the other. Tiles consist of whole stored
// objects, so each object is requested once, unless it is larger than tilesBytes. The elements have
// a fixed size. They are in C order within a tile, but are not consecutive in the selection. Larger
// chunks are divided as by Stream, and larger shards into inner chunks.
func Tiles(ctx context.Context, a *zarr.Array, r Region, t dtype.Type, read render.Reader, use func(elems []byte) error) error {
	if slices.ContainsFunc(r, func(x Axis) bool { return x.List != nil }) {
		return Stream(ctx, a, r, BandBytes, t, read, use) // a list may alternate between chunks
	}
	each := int64(t.Size())
	elements := func(bytes int64) int { return int(max(bytes/each, 1)) }
	bands := walk.Bands{Axes: r.axes(a, walk.Chunks), Each: each, Target: walk.Always(BandBytes), Limit: walk.Always(BandBytes)}
	whole := bands.Whole()
	boxes := func(yield func(walk.Box) bool) {
		for b := range walk.Tiles(r.axes(a, walk.Objects), elements(smallTile), math.MaxInt) {
			parts, at := heldBands(ctx, a, r, bands, b), make([]int, len(r))
			if n := b.Bytes(each); n > tilesBytes && a.Sharded() {
				// A tile takes at least one request, so it is as large as a band within the shard.
				k := whole.Row()
				band := BandBytes * float64(n) / float64(whole.Bytes(each)) * float64(whole.Shape[k]) / float64(b.Shape[k])
				parts, at = walk.Tiles(r.in(b).axes(a, walk.Chunks), elements(max(tilesBytes, int64(band))), elements(BandBytes)), b.At
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
	return eachBox(ctx, r, each, boxes, walk.Options{Ahead: tilesBytes / smallTile, Bytes: tilesBytes}, read, use)
}

const (
	// tilesBytes is the maximum size of all tiles in memory, unless one tile is larger. It is
	// enough for two chunks of 8 MB.
	tilesBytes = 16 << 20
	// smallTile is the approximate size of a tile of small chunks. Reading it takes longer than the
	// constant work for each tile.
	smallTile = 2 << 20
)
