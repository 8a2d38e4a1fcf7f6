package zarr_test

import (
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestEmptyAxisOfShards resizes an array whose shards differ in length to no elements, opens it and
// lets it grow again. In an earlier version an axis without elements had shards of length 1, which
// inner chunks of length 2 do not divide.
func TestEmptyAxisOfShards(t *testing.T) {
	st := mem.New()
	spec := zarr.Spec{Shape: []int{6}, DType: dtype.Uint8, Chunks: []int{2}, ShardEdges: [][]int{{2, 4}}}
	a, err := zarr.Create(t.Context(), st, "x", spec)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = a.Resize(t.Context(), []int{0}, zarr.ResizeOptions{}); err != nil {
		t.Fatal(err)
	}
	if a, err = zarr.OpenArray(t.Context(), st, "x"); err != nil {
		t.Fatal(err)
	}
	if a, err = zarr.Append(t.Context(), a, 0, []uint8{1, 2, 3, 4, 5}, zarr.AppendOptions{}); err != nil {
		t.Fatal(err)
	}
	if got, err := zarr.Read[uint8](t.Context(), a); err != nil || !slices.Equal(got, []uint8{1, 2, 3, 4, 5}) {
		t.Errorf("read %v, %v", got, err)
	}
}
