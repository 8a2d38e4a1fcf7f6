package conformance

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestShards reads parts of a shard of 2 MiB on every place. It checks the number of requests, and
// that a shard that was replaced or deleted is never read by an old index.
func TestShards(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		o := p.open(t)
		const rows, cols, band = 1024, 1024, 32
		w, err := zarr.Create(t.Context(), o.writer(), "x", zarr.Spec{Shape: []int{rows, cols}, Chunks: []int{band, cols}, Shards: []int{rows, cols},
			DType: dtype.Uint16, Codecs: []codec.Spec{codec.CRC32C()}})
		if err != nil {
			t.Fatal(err)
		}
		random := func(seed uint64) []uint16 {
			r := rand.New(rand.NewPCG(1, seed))
			v := make([]uint16, rows*cols)
			for i := range v {
				v[i] = uint16(r.Uint32()) | 1
			}
			return v
		}
		values := random(1)
		if err := zarr.Write(t.Context(), w, values); err != nil {
			t.Fatal(err)
		}
		var gets atomic.Int64
		a, err := zarr.OpenArray(t.Context(), store.Observe(o.s, func(_ context.Context, e store.Event) {
			if strings.HasSuffix(e.Key, "c/0/0") {
				gets.Add(1)
			}
		}), "x")
		if err != nil {
			t.Fatal(err)
		}
		// read reads rows of the array and checks the number of requests.
		read := func(what string, lo, hi int, want int64) {
			t.Helper()
			gets.Store(0)
			got, err := zarr.Read[uint16](t.Context(), a, zarr.Range(lo, hi))
			if err != nil || !slices.Equal(got, values[lo*cols:hi*cols]) {
				t.Errorf("%s: %v, or other values", what, err)
			}
			if gets.Load() != want {
				t.Errorf("%s: %d requests, want %d", what, gets.Load(), want)
			}
		}
		read("a row", 70, 71, 2)
		read("13 neighbours", 10*band, 23*band, 1)
		read("everything", 0, rows, 1)
		if o.w != nil {
			return // the place is read-only
		}
		values = random(2)
		if err := zarr.Write(t.Context(), w, values); err != nil {
			t.Fatal(err)
		}
		read("a row of another version", 70, 71, 3) // the chunk of the old version, which is refused, the index, and the chunk
		clear(values[:2*band*cols])
		if err := zarr.Write(t.Context(), w, values[:2*band*cols], zarr.Range(0, 2*band)); err != nil {
			t.Fatal(err)
		}
		read("a chunk that is no longer there", 0, band, 2) // the chunk of the old version, and the index
		read("it once more", 0, band, 1)                    // a request that revalidates the index
		clear(values)
		if err := zarr.Write(t.Context(), w, values); err != nil {
			t.Fatal(err)
		}
		read("a shard that is no longer there", 70, 71, 2)
	})
}
