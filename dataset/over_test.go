package dataset_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/internal/test/zarrtest"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestOver reads a dataset through a decorator of its store.
func TestOver(t *testing.T) {
	for _, format := range []int{2, 3} {
		g, tr := weather(t, format), &zarrtest.Transcript{}
		d, err := dataset.OpenGroup(t.Context(), g, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		over, err := d.Over(t.Context(), store.Observe(g.Store(), tr.Record), zarr.Limit(zarr.Limits{Requests: 1}))
		if err != nil || tr.Requests() != "" {
			t.Fatal(err, tr.Requests())
		}
		q := []dataset.Query{dataset.Label("time", "2020-02-01T03"), dataset.Between("lat", 60, 50)}
		v, err := over.Var("t", q...)
		if err != nil {
			t.Fatal(err)
		}
		got, err := dataset.Read[float64](t.Context(), v)
		if err != nil || tr.Requests() == "" {
			t.Fatalf("%v; the read bypasses the store", err)
		}
		was, err := d.Var("t", q...)
		if err != nil {
			t.Fatal(err)
		}
		if want, err := dataset.Read[float64](t.Context(), was); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v, want %v, %v", got, want, err)
		}
		if v.Array().Limits().Requests != 1 || was.Array().Limits().Requests != 0 {
			t.Error("the option is not that of the new dataset")
		}
		part, err := d.Sel(dataset.At("time", 0))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Over(t.Context(), g.Store()); !errors.Is(err, fault.Selection) {
			t.Errorf("a selection: %v", err)
		}
		if none, err := d.Sel(); err != nil {
			t.Error(err)
		} else if _, err := none.Over(t.Context(), g.Store()); err != nil {
			t.Errorf("a dataset without queries: %v", err)
		}
	}
}

// TestPositions checks the selected elements along stored axes.
func TestPositions(t *testing.T) {
	d, err := dataset.OpenGroup(t.Context(), weather(t, 3), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	type positions struct {
		start, step, n int
		even, ok       bool
	}
	for _, r := range []struct {
		q    dataset.Query
		axis int
		want positions
	}{
		{dataset.Slice("lat", 0, 3), 0, positions{0, 1, 48, true, true}},
		{dataset.Slice("time", 3, 40).By(5), 0, positions{3, 5, 8, true, true}},
		{dataset.At("time", 7), 0, positions{7, 1, 1, true, true}},
		{dataset.At("lon", []int{3, 0, 0}), 2, positions{0, 0, 3, false, true}},
		{dataset.Pointwise("p", dataset.At("lat", []int{0}), dataset.At("lon", []int{0})), 1, positions{}},
		{dataset.At("time", 7), 3, positions{}},
		{dataset.At("time", 7), -1, positions{}},
	} {
		v, err := d.Var("t", r.q)
		if err != nil {
			t.Fatal(err)
		}
		var got positions
		if got.start, got.step, got.n, got.even, got.ok = v.Positions(r.axis); got != r.want {
			t.Errorf("%v along %d: %+v, want %+v", r.q, r.axis, got, r.want)
		}
	}
}
