package tasks_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func Example_reduce() {
	ctx, st := context.Background(), mem.New()
	days := make([]int32, 60)
	for i := range days {
		days[i] = int32(i)
	}
	_, err := dataset.Create(ctx, st, "era5.zarr", dataset.Spec{Vars: []dataset.VarSpec{
		{Name: "time", Spec: zarr.Spec{Shape: []int{60}, DType: dtype.Int32, Dims: []string{"time"}, Attrs: map[string]any{"units": "days since 2020-01-01"}}},
		{Name: "t2m", Spec: zarr.Spec{Shape: []int{60, 2}, Chunks: []int{7, 2}, DType: dtype.Float32, Dims: []string{"time", "lat"}}},
	}}, dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	a, err := zarr.OpenArray(ctx, st, "era5.zarr/time")
	if err != nil {
		log.Fatal(err)
	}
	if err := zarr.Write(ctx, a, days); err != nil {
		log.Fatal(err)
	}

	d, err := dataset.Open(ctx, st, "era5.zarr", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	r := dataset.Reduction{Op: dataset.Mean, By: []dataset.Grouping{dataset.ByTime("time", dataset.Month)}}
	monthly, err := dataset.Reduce(ctx, d, r, st, "monthly.zarr", dataset.ReduceOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(monthly.Dims())
	// Output: [{time 2} {lat 2} {bnds 2}]
}
