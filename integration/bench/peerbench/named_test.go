package main

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"testing"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// TestNamedTasks runs the tasks of the workloads W9 to W12 with a packed variable of 60 days. Element
// i is stored as i, and the last element of each day is missing.
func TestNamedTasks(t *testing.T) {
	root, ctx := t.TempDir(), t.Context()
	spec := func(typ dtype.Type, attrs map[string]any, dims []string, shape ...int) zarr.Spec {
		return zarr.Spec{DType: typ, Dims: dims, Shape: shape, Attrs: attrs}
	}
	d, err := dataset.Create(ctx, dir.New(root), "packed64", dataset.Spec{Vars: []dataset.VarSpec{
		{Name: "time", Spec: spec(dtype.Int64, map[string]any{"units": "days since 2000-01-01"}, []string{"time"}, 60)},
		{Name: "lat", Spec: spec(dtype.Float64, nil, []string{"lat"}, 2)},
		{Name: "lon", Spec: spec(dtype.Float64, nil, []string{"lon"}, 3)},
		{Name: "t", Missing: int16(-1), Spec: spec(dtype.Int16, map[string]any{"scale_factor": 0.5, "add_offset": 10.0}, []string{"time", "lat", "lon"}, 60, 2, 3)},
	}}, dataset.Options{})
	succeed(t, err)
	days, stored := make([]int64, 60), make([]int16, 360)
	var n, sum, squares, weighted float64
	february, monthly, series := make([]float64, 3), make([]float64, 12), make([]float64, 60)
	for i := range stored {
		days[i/6], stored[i] = int64(i/6), int16(i)
		if i%6 == 5 {
			stored[i] = -1
			continue
		}
		v := float64(i)/2 + 10
		n, sum, squares, weighted = n+1, sum+v, squares+v*v, weighted+v*float64(i)
		series[i/6] += v / 5
		if i < 31*6 {
			monthly[i%6] += v / 31
			continue
		}
		monthly[6+i%6] += v / 29
		february[0], february[1], february[2] = february[0]+1, february[1]+v, february[2]+v*float64(i-31*6)
	}
	monthly[5], monthly[11] = math.NaN(), math.NaN()
	raw, err := binary.Append(nil, binary.LittleEndian, stored)
	succeed(t, err)
	_, err = d.Write(ctx, dataset.Stored("time", days), dataset.Stored("lat", []float64{0, 1}), dataset.Stored("lon", []float64{0, 1, 2}), dataset.Stored("t", stored))
	succeed(t, err)
	run := func(do string) map[string]any {
		return answer(t, map[string]any{"do": do, "where": "file", "root": root, "path": "packed64", "format": 3, "type": "float64",
			"month": "2000-02", "range": []float64{10, 190}, "bins": 2, "out": "out_" + do})
	}
	if got := run("raw16"); got["crc"] != float64(crc32.ChecksumIEEE(raw)) || got["bytes"] != 720.0 {
		t.Errorf("raw: %v", got)
	}
	for do, want := range map[string][]float64{"decoded": {n, sum, weighted}, "month": february, "histogram": {150, 150},
		"statistics": {n, 10, 189, sum / n, math.Sqrt(squares/n - sum/n*sum/n)}} {
		got := []float64{}
		for _, v := range run(do)["answer"].([]any) {
			got = append(got, v.(float64))
		}
		wantNear(t, do, got, want)
	}
	for do, want := range map[string][]float64{"monthly": monthly, "series": series} {
		run(do)
		a, err := zarr.OpenArray(ctx, dir.New(root), "out_"+do+"/t")
		succeed(t, err)
		got, err := zarr.Read[float64](ctx, a)
		succeed(t, err)
		wantNear(t, do, got, want)
	}
}

func wantNear(t *testing.T, do string, got, want []float64) {
	t.Helper()
	same := len(got) == len(want)
	for i := 0; same && i < len(want); i++ {
		same = math.Abs(got[i]-want[i]) <= 1e-9*want[i] || got[i] != got[i] && want[i] != want[i]
	}
	if !same {
		t.Errorf("%s: %v, want %v", do, got, want)
	}
}
