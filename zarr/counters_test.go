package zarr_test

import (
	"context"
	"math"
	"runtime/debug"
	"testing"

	"github.com/zargo-io/zargo/internal/bits/bytesview"
	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// allocations counts the allocations for each further chunk of a call, for each further shard
// without its chunks, and for the remainder of a call of one chunk.
type allocations struct{ chunk, shard, call int }

// frozen is a store whose Puts do nothing and allocate nothing once full is set. The allocations of
// a call are then those of the library, without the copy of the value, the version and the map
// entry that a memory store allocates for a Put.
type frozen struct {
	store.Store
	full bool
}

func (f *frozen) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	if f.full {
		return "", nil
	}
	return f.Store.Put(ctx, key, b, o)
}

// TestAllocations checks how often calls allocate once pools are warm. A higher number than the
// expected one is an error, and so is a lower one, which must be recorded here. The chunks of
// "rows" are not contiguous in the result; writes of "parts" write every second row.
func TestAllocations(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget at random, so allocations cannot be counted")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection would empty the pools
	blosc, zstd, turn := codec.Blosc(codec.BloscOptions{Cname: "lz4"}), codec.Zstd(1), codec.Transpose(1, 0)
	whole := [3]allocations{{4, 0, 12}, {4, 0, 14}, {4, 0, 15}}
	for _, tt := range []struct {
		name         string
		codecs       []codec.Spec
		rows, shards bool
		want         [3]allocations // for reads, writes, and writes of parts
	}{
		{"raw", []codec.Spec{}, false, false, whole},
		{"raw, rows", []codec.Spec{}, true, false, whole},
		{"raw, order F, rows", []codec.Spec{turn}, true, false, whole},
		{"blosc", []codec.Spec{blosc}, false, false, whole},
		{"zstd", []codec.Spec{zstd}, false, false, whole},
		{"zstd, order F, rows", []codec.Spec{turn, zstd}, true, false, whole},
		{"gzip", []codec.Spec{codec.Gzip(1)}, false, false, whole},
		{"raw in a shard", []codec.Spec{}, false, true, [3]allocations{{1, 11, 12}, {1, 10, 14}, {1, 13, 15}}},
		{"zstd in a shard, rows", []codec.Spec{zstd}, true, true, [3]allocations{{1, 11, 12}, {1, 10, 14}, {1, 13, 15}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spec := zarr.Spec{Chunks: []int{16, 16}, DType: dtype.Float32, Codecs: tt.codecs}
			if tt.rows {
				spec.Chunks[1] = 8
			}
			one, some, more := allocated(t, spec, 1, tt.shards), allocated(t, spec, 64, tt.shards), allocated(t, spec, 128, tt.shards)
			spec.Shards = spec.Chunks
			someShards, moreShards := allocated(t, spec, 64, false), allocated(t, spec, 128, false)
			for k, want := range tt.want {
				if _, ok := bytesview.Of([]float32{0}); !ok {
					want.call++ // for the bytes of the elements
				}
				got := allocations{chunk: int(math.Round((more[k] - some[k]) / 64))}
				if tt.shards {
					got.shard = int(math.Round((moreShards[k]-someShards[k])/64)) - got.chunk
				}
				got.call = int(one[k]) - got.shard - got.chunk
				what := []string{"a read", "a write", "a write of parts"}[k]
				switch {
				case got.chunk > want.chunk || got.shard > want.shard || got.call > want.call:
					t.Errorf("%s allocates %+v, want %+v at most", what, got, want)
				case got != want:
					t.Errorf("%s allocates %+v only: hold it to that, not to %+v", what, got, want)
				}
			}
		})
	}
}

// allocated returns how often a read, a write, and a write of parts allocate for so many chunks of
// an array that is 16 elements wide. The chunks are in one shard if inShard is set.
func allocated(t *testing.T, spec zarr.Spec, chunks int, inShard bool) (least [3]float64) {
	t.Helper()
	sel := []zarr.Selection{zarr.All, zarr.All}
	spec.Shape = []int{(chunks*spec.Chunks[1] + 15) / 16 * 16, 16}
	if chunks == 1 {
		sel[1] = zarr.Range(0, spec.Chunks[1])
	}
	if inShard {
		spec.Shards = []int{spec.Shape[0], spec.Chunks[1] * min(chunks, 16/spec.Chunks[1])}
	}
	st := &frozen{Store: mem.New()}
	a := mustCreate(t, st, "", spec, own(1<<30))
	succeed(t, zarr.Write(context.Background(), a, count(spec.Shape[0]*16)))
	st.full = true
	v := count(chunks * 16 * spec.Chunks[1])
	for k, f := range []func() error{
		func() error { return zarr.ReadInto(context.Background(), a, v, sel...) },
		func() error { return zarr.Write(context.Background(), a, v, sel...) },
		func() error {
			return zarr.Write(context.Background(), a, v[:len(v)/2], zarr.Range(0, zarr.End).By(2), sel[1])
		},
	} {
		for try := range 3 { // use the minimum: a goroutine that finds a pool empty allocates more
			n := testing.AllocsPerRun(3, func() {
				succeed(t, f())
			})
			if try == 0 || n < least[k] {
				least[k] = n
			}
		}
	}
	return least
}
