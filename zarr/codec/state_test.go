package codec_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// TestEncoderState checks the memory of encoders that docs/tuning.md lists: its maximum in MiB for
// chunks of 1 MiB, and its reuse for the next chunk.
func TestEncoderState(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector empties pools at random, so allocations cannot be counted")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection empties pools
	const n = 1 << 20
	src := make([]byte, n)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range src {
		src[i] = byte(r.IntN(7) + i>>8)
	}
	for _, tt := range []struct {
		spec codec.Spec
		most float64 // MiB
	}{
		{codec.LZ4(1), 0.1},
		{codec.Gzip(5), 1},
		{codec.Gzip(9), 1.5},
		{codec.Zstd(1), 3},
		{codec.Zstd(3), 4},
		{codec.Zstd(9), 39},
		{codec.Blosc(codec.BloscOptions{Cname: "lz4"}), 0.5},
		{codec.Blosc(codec.BloscOptions{}), 4},
		{codec.LZMA(6), 13},
	} {
		var c *codec.Chain
		dst := []byte{}
		encode := func() float64 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err := c.Encode(dst, codec.Block{Bytes: src}, nil); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			return float64(after.TotalAlloc-before.TotalAlloc) / (1 << 20)
		}
		first := math.Inf(1)
		// Take the minimum, because a goroutine that moves to another processor finds an empty
		// pool.
		for range 3 {
			c = mustChain(t, codec.Repr{Shape: []int{n}, Type: dtype.Uint8}, codec.Bytes(dtype.NoOrder), tt.spec)
			dst = make([]byte, 0, c.Worst())
			runtime.GC() // two collections empty the pools
			runtime.GC()
			first = min(first, encode())
		}
		if first > tt.most {
			t.Errorf("%v allocates %.2f MiB, want at most %.1f", tt.spec, first, tt.most)
		}
		again := encode()
		// A collection or the race detector may empty a pool.
		for i := 0; i < 8 && again > 0.02; i++ {
			again = encode()
		}
		if again > 0.02 {
			t.Errorf("%v allocates %.2f MiB for the next chunk", tt.spec, again)
		}
	}
}
