package dataset_test

import (
	"fmt"
	"testing"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func TestReduceSmoke(t *testing.T) {
	st := mem.New()
	d, err := dataset.Create(t.Context(), st, "in", dataset.Spec{Attrs: map[string]any{"title": "x", "time_coverage_end": "2020-03-01"}, Vars: []dataset.VarSpec{
		{Name: "time", Spec: zarr.Spec{Shape: []int{90}, DType: dtype.Int32, Dims: []string{"time"}, Attrs: map[string]any{"units": "days since 2020-01-01", "calendar": "noleap"}}},
		{Name: "lat", Spec: zarr.Spec{Shape: []int{4}, DType: dtype.Float32, Dims: []string{"lat"}, Attrs: map[string]any{"units": "degrees_north"}}},
		{Name: "t2m", Spec: zarr.Spec{Shape: []int{90, 4}, Chunks: []int{7, 2}, DType: dtype.Int16, Dims: []string{"time", "lat"}, Attrs: map[string]any{"units": "K", "scale_factor": 0.5, "add_offset": 273.0, "_FillValue": -1}}},
	}}, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	days, temps := make([]int32, 90), make([]int16, 360)
	for i := range days {
		days[i] = int32(i)
	}
	for i := range temps {
		temps[i] = int16(i)
	}
	d, err = d.Write(t.Context(), dataset.Stored("time", days), dataset.Stored("lat", []float32{-45, 0, 45, 80}), dataset.Stored("t2m", temps))
	if err != nil {
		t.Fatal(err)
	}
	for i, by := range []string{"time=month", "time=monthofyear", "time=seasonofyear", "time=9", "lat=2", "time=rolling:3", "time=season"} {
		g, err := dataset.ParseGrouping(by)
		if err != nil {
			t.Fatal(err)
		}
		out, err := dataset.Reduce(t.Context(), d, dataset.Reduction{Op: dataset.Mean, By: []dataset.Grouping{g}}, st, fmt.Sprint("out", i), dataset.ReduceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(by, out.Dims(), out.Findings())
		for _, v := range append(out.Vars(), out.Coords()...) {
			if x, err := dataset.Read[float64](t.Context(), v); err == nil {
				fmt.Println(v.Name(), v.Dims(), x[:min(len(x), 12)], v.Attrs())
			}
		}
	}
}
