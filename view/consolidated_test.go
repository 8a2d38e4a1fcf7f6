package view_test

import (
	"context"
	"errors"
	"testing"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/view"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestConsolidatedSource opens the source from its consolidated metadata. Its documents are compared
// with the stored ones, also while an append is in progress.
func TestConsolidatedSource(t *testing.T) {
	for _, format := range []int{2, 3} {
		st := mem.New()
		g := sample(t, st, format).Group()
		must(g.Consolidate(t.Context()))
		ds := must(dataset.Open(t.Context(), st, "", dataset.Options{}))
		v := must(view.New(t.Context(), ds, view.Options{Format: 3, Decode: true}))
		same(t, open(t.Context(), v, false), ds, "time", "lat", "lat_bnds", "lon", "t", "f", "name")
		must(v.Get(t.Context(), "t/c/0/0/0", store.GetOptions{}, nil))
		get := func() error { return second(v.Get(t.Context(), "t/c/0/0/0", store.GetOptions{}, nil)) }
		rows := zarr.Rows{Path: "t", N: 1, Write: func(ctx context.Context, a *zarr.Array, from int) error {
			succeed(t, get()) // the shape has not changed
			return zarr.Write(ctx, a, make([]int16, 3*4), zarr.At(from))
		}}
		must(must(zarr.OpenGroup(t.Context(), st, "")).Append(t.Context(), "time", zarr.AppendOptions{}, rows, zarr.RowsOf("time", []int32{48})))
		if err := get(); !errors.Is(err, fault.Conflict) {
			t.Errorf("the source is longer: %v", err)
		}
		succeed(t, v.Refresh(t.Context()))
		if err := get(); err != nil || must(zarr.OpenArray(t.Context(), v, "t")).Shape()[0] != 49 {
			t.Errorf("the view is not refreshed: %v", err)
		}
	}
}
