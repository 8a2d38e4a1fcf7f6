package zarr_test

import (
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestFewBytesOfLargeChunks reads one element of a chunk that is declared as 1 GiB and stored in
// the bytes of a chunk of 1 KiB. The read must fail with ErrCorrupt and allocate at most 128 MiB.
func TestFewBytesOfLargeChunks(t *testing.T) {
	const small, large = 1 << 10, 1 << 30
	whole := func(bytes ...codec.Spec) func(int) []codec.Spec {
		return func(int) []codec.Spec { return append([]codec.Spec{codec.Bytes(dtype.NoOrder)}, bytes...) }
	}
	for _, tt := range []struct {
		name  string
		specs func(chunk int) []codec.Spec
	}{
		{"as it is", whole()},
		{"zstd and a checksum", whole(codec.Zstd(3), codec.CRC32C())},
		{"inner chunk", func(chunk int) []codec.Spec {
			return []codec.Spec{codec.Sharding(codec.ShardingOptions{Chunk: []int{chunk}, Codecs: whole(codec.Gzip(5))(chunk)})}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := mem.New()
			create := func(path string, n int) *zarr.Array {
				return mustCreate(t, st, path, zarr.Spec{Shape: []int{n}, Chunks: []int{n}, DType: dtype.Uint8, Codecs: tt.specs(n)}, zarr.Limit(zarr.Limits{Chunk: large}))
			}
			a := create("small", small)
			succeed(t, zarr.Write(t.Context(), a, slices.Repeat([]uint8{7}, small), zarr.All))
			b := create("large", large)
			put(t, st, b.ChunkKey(0), get(t, st, a.ChunkKey(0)))

			for _, sel := range []zarr.Selection{zarr.At(0), zarr.Index(2, 0)} { // decoded in place, and into a buffer
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				_, err := zarr.Read[uint8](t.Context(), b, sel)
				runtime.ReadMemStats(&after)
				if used := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, zarr.ErrCorrupt) || used > 128<<20 { // the buffer of stored bytes has up to 64 MiB
					t.Errorf("%v: %d bytes allocated: %v", sel, used, err)
				}
			}
		})
	}
}
