package dataset_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// ninety creates a dataset of 90 days from 2020-01-01 on. It returns the dataset, its store, and the
// number of requested chunks of t2m, which has 26.
func ninety(t *testing.T, format int) (*dataset.Dataset, store.Store, *atomic.Int64) {
	t.Helper()
	st, chunks := mem.New(), &atomic.Int64{}
	attrs := map[string]any{"units": "K", "scale_factor": 0.5, "add_offset": 273.0, "grid_mapping": "crs", "actual_range": []float64{1, 2}, "coordinates": "name"}
	d, err := dataset.Create(t.Context(), st, "in", dataset.Spec{Format: format, Attrs: map[string]any{"title": "x", "geospatial_lat_max": 80.0}, Vars: []dataset.VarSpec{
		{Name: "time", Spec: zarr.Spec{Shape: []int{90}, DType: dtype.Int32, Dims: []string{"time"}, Attrs: map[string]any{"units": "days since 2020-01-01", "calendar": "noleap", "bounds": "time_bnds"}}},
		{Name: "time_bnds", Spec: zarr.Spec{Shape: []int{90, 2}, DType: dtype.Int32, Dims: []string{"time", "bnds"}}},
		{Name: "lat", Spec: zarr.Spec{Shape: []int{4}, DType: dtype.Float32, Dims: []string{"lat"}, Attrs: map[string]any{"units": "degrees_north"}}},
		{Name: "name", Coord: true, Spec: zarr.Spec{Shape: []int{4}, DType: dtype.String, Dims: []string{"lat"}}},
		{Name: "crs", Spec: zarr.Spec{DType: dtype.Int32, Attrs: map[string]any{"grid_mapping_name": "latitude_longitude"}}},
		{Name: "label", Spec: zarr.Spec{Shape: []int{90}, DType: dtype.String, Dims: []string{"time"}}},
		{Name: "flag", Spec: zarr.Spec{Shape: []int{90}, DType: dtype.S(1), Dims: []string{"time"}}},
		{Name: "t2m", Missing: int16(-1), Spec: zarr.Spec{Shape: []int{90, 4}, Chunks: []int{7, 2}, DType: dtype.Int16, Dims: []string{"time", "lat"}, Attrs: attrs}},
	}}, dataset.Options{})
	succeed(t, err)
	days, temps := make([]int32, 90), make([]int16, 360)
	for i := range days {
		days[i] = int32(i)
	}
	for i := range temps {
		temps[i] = int16(i)
	}
	_, err = d.Write(t.Context(), dataset.Stored("time", days), dataset.Stored("lat", []float32{-45, 0, 45, 80}), dataset.Stored("t2m", temps), dataset.Stored("name", []string{"a", "b", "c", "d"}))
	succeed(t, err)
	d, err = dataset.Open(t.Context(), store.Observe(st, func(_ context.Context, e store.Event) {
		if e.Op == store.OpGet && strings.HasPrefix(e.Key, "in/t2m/") && '0' <= e.Key[len(e.Key)-1] && e.Key[len(e.Key)-1] <= '9' {
			chunks.Add(1)
		}
	}), "in", dataset.Options{})
	succeed(t, err)
	return d, st, chunks
}

func grouping(t *testing.T, text string) []dataset.Grouping {
	t.Helper()
	g, err := dataset.ParseGrouping(text)
	succeed(t, err)
	return []dataset.Grouping{g}
}

// described returns a variable as text: its dimensions, values and attributes.
func described(t *testing.T, d *dataset.Dataset, name string) string {
	t.Helper()
	v, err := d.Var(name)
	succeed(t, err)
	attrs := v.Attrs()
	delete(attrs, "_FillValue")
	if texts, err := v.Strings(t.Context()); err == nil {
		return fmt.Sprint(v.Dims(), texts, attrs)
	}
	x, err := dataset.Read[float64](t.Context(), v)
	succeed(t, err)
	return fmt.Sprint(v.Dims(), x, attrs)
}

// TestReduce checks the variables, coordinates and attributes of results.
func TestReduce(t *testing.T) {
	for _, k := range []struct {
		by, op string
		want   map[string]string
	}{
		{"time=month", "mean", map[string]string{
			"t2m":       "[{time 3} {lat 4}] [303 303.5 304 304.5 362 362.5 363 363.5 421 421.5 422 422.5] map[cell_methods:time: mean coordinates:name grid_mapping:crs units:K]",
			"time":      "[{time 3}] [0 31 59] map[bounds:time_bnds calendar:noleap units:days since 2020-01-01]",
			"time_bnds": "[{time 3} {bnds 2}] [0 31 31 59 59 90] map[]",
			"name":      "[{lat 4}] [a b c d] map[]",
			"crs":       "[] [0] map[grid_mapping_name:latitude_longitude]",
		}},
		{"time=seasonofyear", "max", map[string]string{
			"t2m":    "[{season 2} {lat 4}] [389 389.5 390 390.5 451 451.5 452 452.5] map[cell_methods:time: maximum within years time: maximum over years coordinates:name grid_mapping:crs units:K]",
			"season": "[{season 2}] [DJF MAM] map[]",
		}},
		{"time=monthofyear", "count", map[string]string{
			"t2m":   "[{month 3} {lat 4}] [31 31 31 31 28 28 28 28 31 31 31 31] map[coordinates:name grid_mapping:crs units:1]",
			"month": "[{month 3}] [1 2 3] map[]",
		}},
		{"time=40:pad", "last", map[string]string{
			"t2m":  "[{time 3} {lat 4}] [351 351.5 352 352.5 431 431.5 432 432.5 451 451.5 452 452.5] map[coordinates:name grid_mapping:crs units:K]",
			"time": "[{time 3}] [19.5 59.5 84.5] map[calendar:noleap units:days since 2020-01-01]",
		}},
		{"lat=2", "std", map[string]string{"lat": "[{lat 2}] [-22.5 62.5] map[units:degrees_north]"}},
		{"time=rolling:89", "min", map[string]string{"t2m": "[{time 90} {lat 4}] [" + strings.Repeat("NaN ", 352) + "273 273.5 274 274.5 275 275.5 276 276.5] map[cell_methods:time: minimum coordinates:name grid_mapping:crs units:K]"}},
	} {
		for _, format := range []int{2, 3} {
			t.Run(fmt.Sprint(k.by, format), func(t *testing.T) {
				d, st, chunks := ninety(t, format)
				op, err := dataset.ParseOp(k.op)
				succeed(t, err)
				out, err := dataset.Reduce(t.Context(), d, dataset.Reduction{Op: op, By: grouping(t, k.by)}, st, "a/out", dataset.ReduceOptions{})
				succeed(t, err)
				for name, want := range k.want {
					if got := described(t, out, name); got != want {
						t.Errorf("%s is %s\nwant %s", name, got, want)
					}
				}
				if n := chunks.Load(); n != 26 {
					t.Errorf("%d gets of chunks", n)
				}
				if _, err := out.Var("label"); k.by != "lat=2" && !errors.Is(err, fault.NotFound) {
					t.Errorf("texts that cannot be reduced: %v", err)
				}
				for e, err := range store.ListAll(t.Context(), st, "a", store.ListOptions{}) {
					if succeed(t, err); strings.Contains(e.Key, "__zargo") {
						t.Errorf("%s remains", e.Key)
					}
				}
				if _, err = dataset.Reduce(t.Context(), d, dataset.Reduction{Op: op, By: grouping(t, k.by)}, st, "a/out", dataset.ReduceOptions{}); !errors.Is(err, fault.Exists) {
					t.Errorf("again: %v", err)
				}
			})
		}
	}
}

// TestReduceOver checks a reduction over dimensions, with weights and a selection.
func TestReduceOver(t *testing.T) {
	d, st, _ := ninety(t, 3)
	d, err := d.Sel(dataset.Slice("time", 1, 3), dataset.At("lat", []int{0, 1}))
	succeed(t, err)
	out, err := dataset.Reduce(t.Context(), d, dataset.Reduction{Over: []string{"lat"}, Weights: "cos(lat)", Vars: []string{"t2m"}}, st, "out", dataset.ReduceOptions{})
	succeed(t, err)
	v, err := out.Var("t2m")
	succeed(t, err)
	got, err := dataset.Read[float64](t.Context(), v)
	succeed(t, err)
	w := math.Cos(math.Pi / 4)
	for i, first := range []float64{275, 277} {
		if want := (first*w + first + 0.5) / (w + 1); math.Abs(got[i]-want) > 1e-12*want {
			t.Errorf("%v, want %v", got[i], want)
		}
	}
	if got := described(t, out, "time"); !strings.HasPrefix(got, "[{time 2}] [1 2]") {
		t.Error(got)
	}
}

// TestReduceRefused checks the errors of reductions that have no meaning.
func TestReduceRefused(t *testing.T) {
	d, st, _ := ninety(t, 3)
	month := grouping(t, "time=month")
	for name, r := range map[string]dataset.Reduction{
		"no dimension":      {},
		"unknown dimension": {Over: []string{"x"}},
		"twice":             {Over: []string{"time"}, By: month},
		"first of two":      {Op: dataset.First, Over: []string{"time", "lat"}},
		"not full":          {By: grouping(t, "time=7")},
		"no times":          {By: grouping(t, "lat=month")},
		"no operation":      {Op: 99, Over: []string{"time"}},
		"weights of min":    {Op: dataset.Min, Over: []string{"lat"}, Weights: "cos(lat)"},
		"unknown weights":   {Over: []string{"lat"}, Weights: "area"},
		"text":              {Over: []string{"time"}, Vars: []string{"label"}},
	} {
		if _, err := dataset.Reduce(t.Context(), d, r, st, "out", dataset.ReduceOptions{}); !errors.Is(err, fault.Selection) && !errors.Is(err, fault.Type) && !errors.Is(err, fault.NotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, text := range []string{"", "time", "time=", "=month", "time=0", "time=rolling:0", "time=3:cut", "time=fortnight"} {
		if _, err := dataset.ParseGrouping(text); !errors.Is(err, fault.Selection) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for e, err := range store.ListAll(t.Context(), st, "out", store.ListOptions{}) {
		t.Errorf("%v was stored, %v", e, err)
	}
}

// TestReduceStopped stops a reduction at each put, and completes it by another call. A reader sees
// nothing or all of the result.
func TestReduceStopped(t *testing.T) {
	r := dataset.Reduction{By: grouping(t, "time=month")}
	for n := int64(1); ; n++ {
		d, st, _ := ninety(t, 3)
		var puts atomic.Int64
		stop := errors.New("stopped")
		stopped := store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
			if c.Op == store.OpPut && puts.Add(1) >= n {
				return ctx, stop
			}
			return ctx, nil
		}})
		_, err := dataset.Reduce(t.Context(), d, r, stopped, "out", dataset.ReduceOptions{})
		if err == nil {
			if n < 10 {
				t.Errorf("only %d puts", n)
			}
			return
		}
		if !errors.Is(err, stop) {
			t.Fatalf("put %d: %v", n, err)
		}
		out, err := dataset.Open(t.Context(), st, "out", dataset.Options{})
		if err != nil && !errors.Is(err, fault.NotFound) {
			t.Errorf("put %d: a reader gets %v", n, err)
		}
		if err != nil {
			out, err = dataset.Reduce(t.Context(), d, r, st, "out", dataset.ReduceOptions{})
		}
		succeed(t, err)
		if got := described(t, out, "t2m"); !strings.HasPrefix(got, "[{time 3} {lat 4}] [303 303.5") {
			t.Errorf("put %d: %s", n, got)
		}
	}
}

// TestReduceMeets runs a reduction in several processes, and one whose source is changed.
func TestReduceMeets(t *testing.T) {
	d, st, _ := ninety(t, 3)
	r := dataset.Reduction{By: grouping(t, "time=month")}
	var wg sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		wg.Go(func() { _, errs[i] = dataset.Reduce(t.Context(), d, r, st, "out", dataset.ReduceOptions{}) })
	}
	wg.Wait()
	if !slices.Contains(errs, nil) || slices.ContainsFunc(errs, func(err error) bool { return err != nil && !errors.Is(err, fault.Exists) }) {
		t.Error(errs)
	}
	first := true
	_, err := dataset.Reduce(t.Context(), d, r, st, "other", dataset.ReduceOptions{Progress: func(done, tasks int) {
		if first {
			first = false
			v, err := d.Var("t2m")
			succeed(t, err)
			succeed(t, zarr.Write(t.Context(), v.Array(), []int16{5}, zarr.At(0), zarr.At(0)))
		}
	}})
	if !errors.Is(err, fault.Conflict) {
		t.Errorf("a changed source: %v", err)
	}
	if _, err := dataset.Open(t.Context(), st, "other", dataset.Options{}); !errors.Is(err, fault.NotFound) {
		t.Errorf("the result of a changed source is visible: %v", err)
	}
}
