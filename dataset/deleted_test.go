package dataset_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// consolidatedWeather returns a store with a dataset and its consolidated metadata. The variables t
// and p have the index coordinate x. Two chunks of t are stored, and none of p.
func consolidatedWeather(t *testing.T, format int) *mem.Store {
	t.Helper()
	ctx, st := t.Context(), mem.New()
	g, err := zarr.CreateGroup(ctx, st, "", zarr.Spec{Format: format})
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range map[string][]float64{"x": {10, 20, 30, 40}, "t": {1, 2, 3, 4}, "p": nil} {
		s := zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Float64}
		if format == 3 {
			s.Dims = []string{"x"}
		} else {
			s.Attrs = map[string]any{"_ARRAY_DIMENSIONS": []any{"x"}}
		}
		a, err := g.CreateArray(ctx, name, s)
		if err == nil && values != nil {
			err = zarr.Write(ctx, a, values)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := g.Consolidate(ctx); err != nil {
		t.Fatal(err)
	}
	return st
}

func removeAll(t *testing.T, st store.Store, path string) {
	t.Helper()
	for e, err := range store.ListAll(t.Context(), st, path, store.ListOptions{}) {
		if err == nil {
			err = st.Delete(t.Context(), e.Key, store.DeleteOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestDeletedVariables opens datasets whose consolidated metadata contains deleted arrays.
func TestDeletedVariables(t *testing.T) {
	ctx := t.Context()
	for _, format := range []int{2, 3} {
		st := consolidatedWeather(t, format)
		removeAll(t, st, "t")
		d, err := dataset.Open(ctx, st, "", dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		v := variable(t, sel(t, d, dataset.Label("x", 20.)), "t")
		if got, err := dataset.Read[float64](ctx, v); !errors.Is(err, zarr.ErrNotFound) {
			t.Errorf("v%d: a deleted variable: %v, %v", format, got, err)
		}
		if _, _, err := dataset.ReadMasked[float64](ctx, v); !errors.Is(err, zarr.ErrNotFound) {
			t.Errorf("v%d: masked: %v", format, err)
		}
		if got := values(t, variable(t, d, "p")); len(got) != 4 {
			t.Errorf("v%d: a variable without chunks: %v", format, got)
		}

		if _, err := d.Write(ctx, dataset.Floats("t", []float64{5, 6, 7, 8})); !errors.Is(err, zarr.ErrNotFound) {
			t.Errorf("v%d: written: %v", format, err)
		}
		x50 := []float64{50}
		if _, err := d.Append(ctx, "x", dataset.AppendOptions{}, dataset.Floats("x", x50), dataset.Floats("t", x50), dataset.Floats("p", x50)); err == nil {
			t.Errorf("v%d: appended", format)
		}
		for e, err := range store.ListAll(ctx, st, "t", store.ListOptions{}) {
			t.Errorf("v%d: stored %v, %v", format, e.Key, err)
		}

		removeAll(t, st, "x")
		d, err = dataset.Open(ctx, st, "", dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if all := d.Findings(); len(all) != 1 || all[0].Path != "x" || !strings.Contains(all[0].Text, "left out") {
			t.Errorf("v%d: findings %v", format, all)
		}
		if _, err := d.Sel(dataset.Label("x", 20.)); !errors.Is(err, zarr.ErrNotFound) {
			t.Errorf("v%d: a label of a deleted coordinate: %v", format, err)
		}
		if _, err := d.Var("x"); !errors.Is(err, zarr.ErrNotFound) {
			t.Errorf("v%d: the deleted coordinate: %v", format, err)
		}
		if got := values(t, variable(t, sel(t, d, dataset.At("x", 1)), "p")); len(got) != 1 {
			t.Errorf("v%d: a position: %v", format, got)
		}
		if own, err := dataset.Open(ctx, st, "", dataset.Options{}, zarr.IgnoreConsolidated()); err != nil || len(own.Vars()) != 1 || len(own.Findings()) != 0 {
			t.Errorf("v%d: from its own documents: %v, %v", format, own, err)
		}
	}
}

// TestReplacedCoordinate opens a dataset whose coordinate was replaced after consolidation.
func TestReplacedCoordinate(t *testing.T) {
	ctx, st := t.Context(), consolidatedWeather(t, 3)
	removeAll(t, st, "x")
	if _, err := zarr.Create(ctx, st, "x", zarr.Spec{Shape: []int{4}, Chunks: []int{4}, DType: dtype.Float64, Fill: 5., Dims: []string{"x"}}); err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Open(ctx, st, "", dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Sel(dataset.Label("x", 0.)); !errors.Is(err, zarr.ErrConflict) || len(d.Findings()) != 1 {
		t.Errorf("%v, findings %v", err, d.Findings())
	}
	if got := values(t, variable(t, d, "t")); len(got) != 4 {
		t.Errorf("another variable: %v", got)
	}
}

// TestUnreadableDocument opens a dataset whose coordinate has no stored chunks, while its document
// cannot be read. The labels are then unknown.
func TestUnreadableDocument(t *testing.T) {
	ctx, st := t.Context(), consolidatedWeather(t, 3)
	for _, key := range []string{"x/c/0", "x/c/1"} {
		succeed(t, st.Delete(ctx, key, store.DeleteOptions{}))
	}
	down := store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
		if c.Key == "x/zarr.json" {
			return ctx, &zarr.KeyError{Op: "get", Key: c.Key, Kind: zarr.ErrUnavailable}
		}
		return ctx, nil
	}})
	if _, err := dataset.Open(ctx, down, "", dataset.Options{}); !errors.Is(err, zarr.ErrUnavailable) {
		t.Errorf("%v", err)
	}
}
