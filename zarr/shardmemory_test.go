//go:build !race

// The reserved memory is the same with -race, where this test takes half a minute.

package zarr_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestMemoryOfShardsWritten checks that a write of a shard takes the shard's length and the memory
// of the chunks that are encoded concurrently. The cases include shards longer than their elements,
// shards longer than the first allocation, and chunks that the write does not change.
func TestMemoryOfShardsWritten(t *testing.T) {
	const mib = 1 << 20
	for _, tt := range []struct {
		name   string
		mibs   int
		codecs []codec.Spec
		sel    zarr.Selection
		most   int64 // MiB
	}{
		{"compressed", 32, []codec.Spec{codec.Zstd(1)}, zarr.All, 38},
		{"raw, with an index of its own", 72, nil, zarr.All, 64 + 73 + 3}, // grown once
		{"backwards", 32, nil, zarr.Range(0, 32*mib).By(-1), 38},
		{"half of one that is there", 32, []codec.Spec{codec.Zstd(1)}, zarr.Range(0, 16*mib), 75},
	} {
		t.Run(tt.name, func(t *testing.T) {
			limits := &concurrency.Limits{CPU: concurrency.NewCPU(2), Bytes: concurrency.NewBudget(512 * mib)}
			n := tt.mibs * mib
			st := mem.New()
			a := mustCreate(t, st, "x", zarr.Spec{Format: 3, Shape: []int{n}, Chunks: []int{64 << 10}, Shards: []int{n}, DType: dtype.Uint8, Codecs: tt.codecs}, zarr.Limit(zarr.Limits{Shared: limits}))
			want := make([]uint8, n)
			if _, err := rand.NewChaCha8([32]byte{1, 2}).Read(want); err != nil { // incompressible
				t.Fatal(err)
			}
			succeed(t, zarr.Write(t.Context(), a, want))
			_, peak := limits.Bytes.Used()
			if tt.sel != zarr.Selection(zarr.All) {
				before := mustRead[uint8](t, a, tt.sel)
				slices.Reverse(before)
				limits = &concurrency.Limits{CPU: concurrency.NewCPU(2), Bytes: concurrency.NewBudget(512 * mib)}
				b := mustOpen(t, st, "x", zarr.Limit(zarr.Limits{Shared: limits}))
				succeed(t, zarr.Write(t.Context(), b, before, tt.sel))
				slices.Reverse(want[:len(before)])
				_, peak = limits.Bytes.Used()
			}
			if t.Logf("%.1f MiB", float64(peak)/mib); peak > tt.most*mib {
				t.Errorf("%d bytes were reserved, want %d MiB at most", peak, tt.most)
			}
			got := mustRead[uint8](t, a)
			if !slices.Equal(got, want) {
				t.Error("other values were read than written")
			}
		})
	}
}
