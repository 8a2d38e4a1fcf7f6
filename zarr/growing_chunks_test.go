package zarr_test

import (
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestGrowingChunks checks default chunks along axes of length 0. zarr-python 3.4.2 chooses 1.
func TestGrowingChunks(t *testing.T) {
	for _, tt := range []struct {
		name         string
		shape, chunk []int
		layout       zarr.Layout
	}{
		{"one axis", []int{0}, []int{1024}, zarr.Layout{}},
		{"short rows", []int{0, 10}, []int{1024, 10}, zarr.Layout{}},
		{"maps", []int{0, 721, 1440}, []int{1, 721, 1440}, zarr.Layout{}},
		{"small maps", []int{0, 100, 200}, []int{52, 100, 200}, zarr.Layout{}},
		{"last axis", []int{10, 0}, []int{10, 1024}, zarr.Layout{}},
		{"limit", []int{0, 10}, []int{10, 10}, zarr.Layout{Elements: 100}},
		{"bytes", []int{0, 10}, []int{5, 10}, zarr.Layout{Bytes: 400}},
		{"no axis", []int{}, []int{}, zarr.Layout{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := mustCreate(t, mem.New(), "", zarr.Spec{Shape: tt.shape, DType: dtype.Float64, Layout: tt.layout})
			if got := a.Chunks(); !slices.Equal(got, tt.chunk) {
				t.Errorf("chunks %v, want %v", got, tt.chunk)
			}
		})
	}
}
