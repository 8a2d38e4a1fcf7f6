package view_test

import (
	"context"
	"errors"
	"testing"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/view"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
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

// TestEmpty makes views without elements: of an empty source, and of an empty selection.
func TestEmpty(t *testing.T) {
	for _, format := range []int{2, 3} {
		st := mem.New()
		spec := zarr.Spec{Format: format, Shape: []int{0, 3}, DType: dtype.Int16, Attrs: map[string]any{"_ARRAY_DIMENSIONS": []string{"time", "x"}, "scale_factor": 2}}
		must(zarr.CreateGroup(t.Context(), st, "", zarr.Spec{Format: format}))
		must(zarr.Create(t.Context(), st, "e", spec))
		empty := must(dataset.Open(t.Context(), st, "", dataset.Options{}, zarr.IgnoreConsolidated()))
		full := sample(t, mem.New(), format)
		for name, v := range map[string]*view.Store{
			"e": must(view.New(t.Context(), empty, view.Options{Format: 5 - format, Decode: true})),
			"t": must(view.New(t.Context(), full, view.Options{Format: 5 - format, Decode: true, Sel: []dataset.Query{dataset.Between("lat", 12, 11)}})),
		} {
			a := must(zarr.OpenArray(t.Context(), v, name))
			if got := must(zarr.Read[float64](t.Context(), a)); len(got) != 0 || a.Len() != 0 {
				t.Errorf("%v has %d elements", a, len(got))
			}
			if list := keys(t, v, name, store.ListOptions{}); len(list) > 2 {
				t.Errorf("keys of an empty array: %q", list)
			}
		}
	}
}
