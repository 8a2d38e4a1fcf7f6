package view_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/view"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// randomOptions returns options of a view, and the shapes of its selection. lengths are the lengths
// of the dimensions of the source, which randomOptions changes to those of the view.
func randomOptions(r *rand.Rand, format int, lengths map[string]int) view.Options {
	o := view.Options{Format: []int{0, 2, 3}[r.IntN(3)], Decode: r.IntN(2) == 0, Chunks: map[string]int{}}
	for _, dim := range []string{"time", "lat", "lon"} {
		n := lengths[dim]
		switch r.IntN(5) {
		case 0:
			lo := r.IntN(n)
			hi := lo + 1 + r.IntN(n-lo)
			step := 1 + r.IntN(3)
			o.Sel = append(o.Sel, dataset.Slice(dim, lo, hi).By(step))
			n = (hi-lo-1)/step + 1
		case 1:
			list := make([]int, 1+r.IntN(n))
			for i := range list {
				list[i] = r.IntN(n)
			}
			o.Sel = append(o.Sel, dataset.At(dim, list))
			n = len(list)
		}
		lengths[dim] = n
		if r.IntN(3) > 0 {
			o.Chunks[dim] = 1 + r.IntN(n+3)
		}
	}
	if final := max(o.Format, format); o.Format == 3 || o.Format == 0 && final == 3 && r.IntN(2) == 0 {
		o.Chunks = map[string]int{"time": 1 + r.IntN(5), "lat": 1, "lon": 2}
		o.Shards = map[string]int{"time": o.Chunks["time"] * (1 + r.IntN(4)), "lat": 1 + r.IntN(3), "lon": 2 * (1 + r.IntN(2))}
	}
	o.NoShards = o.Shards == nil // of the source, which may not be multiples of the chunks
	if r.IntN(2) == 0 {
		o.Codecs = [][]codec.Spec{{}, {codec.Gzip(1)}, {codec.Zstd(1), codec.CRC32C()}, {codec.Blosc(codec.BloscOptions{Cname: "lz4"})}}[r.IntN(4)]
		if len(o.Codecs) == 2 && (o.Format == 2 || o.Format == 0 && format == 2) {
			o.Codecs = o.Codecs[:1]
		}
	}
	return o
}

// TestRandom compares views, and views of views, with direct reads of the source: any selections,
// grids, codecs and formats.
func TestRandom(t *testing.T) {
	for seed := uint64(0); seed < 200; seed += uint64(race.Stride(10)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			format := 2 + r.IntN(2)
			ds := sample(t, mem.New(), format)
			lengths, want := map[string]int{"time": 48, "lat": 3, "lon": 4}, ds
			for range 2 {
				o := randomOptions(r, format, lengths)
				v, err := view.New(t.Context(), ds, o)
				if err != nil {
					t.Fatalf("%+v: %v", o, err)
				}
				want = must(want.Sel(o.Sel...))
				ds = open(t.Context(), v, r.IntN(2) == 0)
				same(t, ds, want, "time", "lat", "lat_bnds", "lon", "t", "f", "name")
				if o.Format != 0 {
					format = o.Format
				}
			}
			root := must(zarr.OpenGroup(t.Context(), ds.Group().Store(), ""))
			if root.Format() != format {
				t.Errorf("the format is %d, want %d", root.Format(), format)
			}
		})
	}
}
