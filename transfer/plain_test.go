package transfer_test

import (
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestPlainSource checks the number of stages from slices of 256 MiB to columns. One stage suffices
// for uncompressed slices, because a task reads only its rows of them. For compressed slices an
// intermediate array is cheaper than reading each slice four times.
func TestPlainSource(t *testing.T) {
	for name, c := range map[string]struct {
		codecs []codec.Spec
		stages int
	}{
		"plain":      {[]codec.Spec{}, 1},
		"big-endian": {[]codec.Spec{codec.Bytes(dtype.Big)}, 1},
		"compressed": {[]codec.Spec{codec.Zstd(1)}, 2},
		"turned":     {[]codec.Spec{codec.Transpose(2, 1, 0)}, 2},
	} {
		a := must(zarr.Create(t.Context(), mem.New(), "a", zarr.Spec{Shape: []int{16, 8192, 8192}, Chunks: []int{1, 8192, 8192}, DType: dtype.Float32, Codecs: c.codecs}))
		p, err := transfer.NewPlan(t.Context(), a, nil, transfer.Options{Memory: 2 << 30, Grid: func(*zarr.Array) ([]int, []int, error) { return []int{16, 1024, 1024}, nil, nil }})
		check(t, err)
		if got := len(p.Stages) - 1; got != c.stages {
			t.Errorf("%s: %d stages, want %d", name, got, c.stages)
		}
	}
}
