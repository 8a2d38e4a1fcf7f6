package copyspec_test

import (
	"slices"
	"testing"

	"github.com/zargo-io/zargo/internal/copying/copyspec"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestShardsToV2 copies a sharded array to v2, which has no shards, with other chunks and codecs.
func TestShardsToV2(t *testing.T) {
	a, err := zarr.Create(t.Context(), mem.New(), "a", zarr.Spec{Shape: []int{8, 8}, Chunks: []int{2, 2}, Shards: []int{4, 4}, DType: dtype.Int8, Dims: []string{"y", "x"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, codecs := range [][]codec.Spec{nil, {}, {codec.Zlib(1)}} {
		o := copyspec.Options{Format: 2, Codecs: codecs, Grid: func(a *zarr.Array) ([]int, []int, error) {
			return copyspec.Grid(a, "a", &copyspec.Lengths{Named: map[string]int{"y": 3}}, nil)
		}}
		s, err := o.Of(a, a.Shape())
		if err == nil {
			_, err = zarr.Create(t.Context(), mem.New(), "a", s)
		}
		if err != nil || s.Shards != nil || !slices.Equal(s.Chunks, []int{3, 2}) {
			t.Errorf("codecs %v: shards %v of chunks %v: %v", codecs, s.Shards, s.Chunks, err)
		}
	}
}
