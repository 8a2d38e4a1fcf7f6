package dataset_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// stations is a dataset of temperatures t(time, station) with the coordinates time and height.
func stations(format int) dataset.Spec {
	return dataset.Spec{Format: format, Attrs: map[string]any{"title": "stations"}, Vars: []dataset.VarSpec{
		{Name: "time", Spec: zarr.Spec{Shape: []int{0}, Chunks: []int{100}, DType: dtype.Int64, Dims: []string{"time"}, Attrs: map[string]any{"units": "days since 2020-01-01"}}},
		{Name: "height", Coord: true, Missing: math.NaN(), Spec: zarr.Spec{Shape: []int{2}, DType: dtype.Float32, Dims: []string{"station"}}},
		{Name: "t", Missing: -32768, Spec: zarr.Spec{Shape: []int{0, 2}, Chunks: []int{10, 2}, DType: dtype.Int16, Dims: []string{"time", "station"}, Attrs: map[string]any{"scale_factor": 0.1}}},
	}}
}

// fill creates the dataset and writes its heights and one day.
func fill(t *testing.T, st store.Store, format int) *dataset.Dataset {
	t.Helper()
	d, err := dataset.Create(t.Context(), st, "", stations(format), dataset.Options{})
	if err == nil {
		d, err = d.Write(t.Context(), dataset.Floats("height", []float32{10, float32(math.NaN())}))
	}
	if err == nil {
		day := []time.Time{time.Date(2020, 1, 2, 0, 0, 0, 0, time.UTC)}
		d, err = d.Append(t.Context(), "time", dataset.AppendOptions{IfAbsent: true}, dataset.StdTimes("time", day), dataset.Floats("t", []float64{20.5, math.NaN()}))
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestCreate checks a dataset that is created twice, and its values, in both formats.
func TestCreate(t *testing.T) {
	for _, format := range []int{2, 3} {
		st := mem.New()
		for range 2 {
			d := fill(t, st, format)
			if n := variable(t, d, "time").Len(); n != 1 {
				t.Errorf("%d days, want 1", n)
			}
			if got := values(t, variable(t, d, "t")); got[0] != 20.5 || !math.IsNaN(got[1]) {
				t.Errorf("values: %v", got)
			}
			if got := values(t, variable(t, d, "height")); got[0] != 10 || !math.IsNaN(got[1]) {
				t.Errorf("heights: %v", got)
			}
			if got := fmt.Sprint(d.Dims()); got != "[{station 2} {time 1}]" || len(d.Vars()) != 1 || len(d.Findings()) > 0 {
				t.Errorf("%s, %v, %v", got, d.Vars(), d.Findings())
			}
		}
	}
}

// TestCreateRefused checks the errors of specs.
func TestCreateRefused(t *testing.T) {
	for _, k := range []struct {
		name, words string
		change      func(*dataset.Spec)
	}{
		{"two lengths", `dimension "station"`, func(s *dataset.Spec) { s.Vars[1].Shape = []int{3} }},
		{"a name twice", "unique", func(s *dataset.Spec) { s.Vars[1].Name = "time" }},
		{"a path as name", "unique", func(s *dataset.Spec) { s.Vars[1].Name = "a/b" }},
		{"no names", "each of 1 axes", func(s *dataset.Spec) { s.Vars[1].Dims = nil }},
		{"missing value of another type", "-32769", func(s *dataset.Spec) { s.Vars[2].Missing = -32769 }},
	} {
		s := stations(3)
		k.change(&s)
		st := mem.New()
		if _, err := dataset.Create(t.Context(), st, "", s, dataset.Options{}); err == nil || !strings.Contains(err.Error(), k.words) {
			t.Errorf("%s: %v", k.name, err)
		}
		if _, err := zarr.Open(t.Context(), st, ""); !errors.Is(err, zarr.ErrNotFound) {
			t.Errorf("%s: something was created: %v", k.name, err)
		}
	}
	d := fill(t, mem.New(), 3)
	if _, err := d.Write(t.Context(), dataset.Floats("height", []float32{1})); !errors.Is(err, zarr.ErrSelection) {
		t.Errorf("too few values: %v", err)
	}
	if _, err := d.Write(t.Context(), dataset.Floats("z", []float32{1})); !errors.Is(err, zarr.ErrNotFound) {
		t.Errorf("an unknown variable: %v", err)
	}
}

// TestWriteLabels checks that labels that were written can be selected.
func TestWriteLabels(t *testing.T) {
	d, err := dataset.Create(t.Context(), mem.New(), "", dataset.Spec{Vars: []dataset.VarSpec{
		{Name: "x", Spec: zarr.Spec{Shape: []int{3}, DType: dtype.Float64, Dims: []string{"x"}}},
		{Name: "v", Spec: zarr.Spec{Shape: []int{3}, DType: dtype.Int8, Dims: []string{"x"}}},
	}}, dataset.Options{})
	if err == nil {
		d, err = d.Write(t.Context(), dataset.Floats("x", []float64{5, 6, 7}), dataset.Stored("v", []int8{1, 2, 3}))
	}
	if err != nil {
		t.Fatal(err)
	}
	one := sel(t, d, dataset.Label("x", 6))
	if _, err := one.Write(t.Context(), dataset.Floats("v", []float64{9})); err != nil {
		t.Fatal(err)
	}
	if got := values(t, variable(t, d, "v")); fmt.Sprint(got) != "[1 9 3]" {
		t.Errorf("values: %v", got)
	}
}

// TestScalar checks that a variable without dimensions has an empty list of dimensions in v2.
func TestScalar(t *testing.T) {
	st := mem.New()
	_, err := dataset.Create(t.Context(), st, "", dataset.Spec{Format: 2, Vars: []dataset.VarSpec{{Name: "crs", Spec: zarr.Spec{Shape: []int{}, DType: dtype.Int32}}}}, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := st.Get(t.Context(), "crs/.zattrs", store.GetOptions{}, nil)
	if err != nil || !strings.Contains(string(v.Bytes), `"_ARRAY_DIMENSIONS": []`) {
		t.Errorf("%s, %v", v.Bytes, err)
	}
}

// TestWriteDropsStatistics checks that Write drops attributes that describe the previous elements,
// once, and that two handles of the dataset may do so.
func TestWriteDropsStatistics(t *testing.T) {
	for _, format := range []int{2, 3} {
		st := mem.New()
		spec := stations(format)
		spec.Attrs["time_coverage_end"] = "2020"
		spec.Vars[1].Attrs = map[string]any{"actual_range": []any{0, 1}, "valid_range": []any{0, 9}}
		first, err := dataset.Create(t.Context(), st, "", spec, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range []*dataset.Dataset{first, first} {
			if d, err = d.Write(t.Context(), dataset.Floats("height", []float32{1, 2})); err != nil {
				t.Fatal(err)
			}
			text := fmt.Sprint(d.Findings())
			if !strings.Contains(text, "actual_range was dropped") {
				t.Errorf("write %d: the findings are %s", i, text)
			}
			if attrs := variable(t, d, "height").Array().Attrs(); attrs["actual_range"] != nil || attrs["valid_range"] == nil {
				t.Errorf("write %d: the attributes are %v", i, attrs)
			}
			var reads atomic.Int64
			again, err := dataset.Open(t.Context(), store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
				if strings.Contains(c.Key, "zarr.json") || strings.Contains(c.Key, ".z") {
					reads.Add(1)
				}
				return ctx, nil
			}}), "", dataset.Options{})
			if err != nil {
				t.Fatal(err)
			}
			reads.Store(0)
			if _, err := again.Write(t.Context(), dataset.Floats("height", []float32{3, 4})); err != nil || reads.Load() > 1 { // a first write reads the document of the array
				t.Errorf("write without statistics: %d requests of metadata, %v", reads.Load(), err)
			}
		}
	}
}
