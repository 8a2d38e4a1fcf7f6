package dataset_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestPlanAppend checks that the requests of appends are within their plans, and that a plan stores
// nothing.
func TestPlanAppend(t *testing.T) {
	d := daily(t)
	var report zarr.Report
	counted, _ := zarr.WithReport(&report).Count(d.Group().Store())
	g, err := zarr.OpenGroup(t.Context(), counted, "")
	if err != nil {
		t.Fatal(err)
	}
	d = open(t, g)
	for i, n := range []int{0, 1, 1, 2} {
		o := dataset.AppendOptions{IfAbsent: true}
		puts := report.Puts.Load()
		least, most, err := d.PlanAppend(t.Context(), "time", o, day(n, 0.5)...)
		if err != nil || report.Puts.Load() != puts {
			t.Fatal(err, report.Puts.Load()-puts)
		}
		gets := report.Gets.Load()
		if d, err = d.Append(t.Context(), "time", o, day(n, 0.5)...); err != nil {
			t.Fatal(err)
		}
		gets, puts = report.Gets.Load()-gets, report.Puts.Load()-puts
		if gets < least.Gets || gets > most.Gets || puts < least.Puts || puts > most.Puts {
			t.Errorf("append %d: %d gets and %d puts, planned %+v to %+v", i, gets, puts, least, most)
		}
	}
	if _, _, err := d.PlanAppend(t.Context(), "time", dataset.AppendOptions{}, day(0, 0.5)...); !errors.Is(err, fault.Exists) {
		t.Errorf("labels of the first day: %v", err)
	}
}

func ExampleDataset_PlanAppend() {
	ctx, st := context.Background(), mem.New()
	g, err := zarr.CreateGroup(ctx, st, "", zarr.Spec{})
	if err == nil {
		_, err = zarr.Create(ctx, g.Store(), "x", zarr.Spec{Shape: []int{0}, Chunks: []int{4}, DType: dtype.Float64, Dims: []string{"x"}})
	}
	var d *dataset.Dataset
	if err == nil {
		d, err = dataset.OpenGroup(ctx, g, dataset.Options{})
	}
	var least, most store.Amount
	if err == nil {
		least, most, err = d.PlanAppend(ctx, "x", dataset.AppendOptions{}, dataset.Floats("x", []float64{1, 2}))
	}
	fmt.Println(least.Puts, most.Puts, err)
	// Output: 6 6 <nil>
}
