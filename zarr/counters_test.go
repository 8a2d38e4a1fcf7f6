package zarr_test

import (
	"context"
	"math"
	"runtime/debug"
	"testing"

	"github.com/zargo-io/zargo/internal/bytesview"
	"github.com/zargo-io/zargo/internal/race"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// allocations are how often memory is allocated for each further chunk of a call, and for a call of one chunk beside that.
type allocations struct{ chunk, call int }

// TestAllocations holds what calls allocate once pools are warm. The numbers are those of today: more is an error, and so is a
// number that could be lower. "Rows" are chunks that do not lie contiguous in what is read; of "parts" every second row is
// written.
func TestAllocations(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget at random, so allocations cannot be counted")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection empties pools
	blosc, zstd, turn := codec.Blosc(codec.BloscOptions{Cname: "lz4"}), codec.Zstd(1), codec.Transpose(1, 0)
	for _, tt := range []struct {
		name         string
		codecs       []codec.Spec
		rows, shards bool
		want         [3]allocations // of reads, writes, and writes of parts
	}{
		{"raw", []codec.Spec{}, false, false, [3]allocations{{4, 14}, {6, 15}, {9, 16}}},
		{"raw, rows", []codec.Spec{}, true, false, [3]allocations{{4, 14}, {6, 15}, {9, 16}}},
		{"raw, order F, rows", []codec.Spec{turn}, true, false, [3]allocations{{4, 14}, {6, 15}, {9, 16}}},
		{"blosc", []codec.Spec{blosc}, false, false, [3]allocations{{4, 14}, {6, 15}, {9, 16}}},
		{"zstd", []codec.Spec{zstd}, false, false, [3]allocations{{4, 14}, {6, 15}, {9, 16}}},
		{"zstd, order F, rows", []codec.Spec{turn, zstd}, true, false, [3]allocations{{4, 14}, {6, 15}, {9, 16}}},
		{"gzip", []codec.Spec{codec.Gzip(1)}, false, false, [3]allocations{{4, 14}, {6, 15}, {9, 16}}},
		{"raw in a shard", []codec.Spec{}, false, true, [3]allocations{{2, 29}, {2, 42}, {2, 48}}},
		{"zstd in a shard, rows", []codec.Spec{zstd}, true, true, [3]allocations{{2, 29}, {2, 47}, {2, 48}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var seen [3][3]float64 // of calls of 1, 64 and 128 chunks
			for i, chunks := range []int{1, 64, 128} {
				spec := zarr.Spec{Shape: []int{chunks * 16, 16}, Chunks: []int{16, 16}, DType: dtype.Float32, Codecs: tt.codecs}
				if tt.rows {
					spec.Shape, spec.Chunks[1] = []int{(chunks + 1) / 2 * 16, 16}, 8
				}
				if tt.shards {
					spec.Shards = spec.Shape
				}
				a := mustCreate(t, mem.New(), "", spec, own(1<<30))
				sel := []zarr.Selection{zarr.All, zarr.All}
				if chunks == 1 {
					sel[1] = zarr.Range(0, spec.Chunks[1])
				}
				v := count(chunks * 16 * spec.Chunks[1])
				for k, f := range []func() error{
					func() error { return zarr.ReadInto(context.Background(), a, v, sel...) },
					func() error { return zarr.Write(context.Background(), a, v, sel...) },
					func() error {
						return zarr.Write(context.Background(), a, v[:len(v)/2], zarr.Range(0, zarr.End).By(2), sel[1])
					},
				} {
					if err := zarr.Write(context.Background(), a, count(spec.Shape[0]*16)); err != nil {
						t.Fatal(err)
					}
					for try := range 3 { // the least: a goroutine that finds a pool empty adds to it
						n := testing.AllocsPerRun(3, func() {
							if err := f(); err != nil {
								t.Fatal(err)
							}
						})
						if try == 0 || n < seen[k][i] {
							seen[k][i] = n
						}
					}
				}
			}
			for k, want := range tt.want {
				if _, ok := bytesview.Of([]float32{0}); !ok {
					want.call++ // the bytes of the elements
				}
				chunk := int(math.Round((seen[k][2] - seen[k][1]) / 64))
				got := allocations{chunk, int(seen[k][0]) - chunk}
				what := []string{"a read", "a write", "a write of parts"}[k]
				switch {
				case got.chunk > want.chunk || got.call > want.call:
					t.Errorf("%s allocates %+v, want %+v at most", what, got, want)
				case got != want:
					t.Errorf("%s allocates %+v only: hold it to that, not to %+v", what, got, want)
				}
			}
		})
	}
}
