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
	"time"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
)

// daily creates an empty dataset t(time, x) with hours since 2020-01-01 and x = 0, 1.
func daily(t *testing.T) *dataset.Dataset {
	t.Helper()
	g, err := unconsolidated(t).Consolidate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return open(t, g)
}

// unconsolidated creates the dataset of [daily] without consolidated metadata.
func unconsolidated(t *testing.T) *zarr.Group {
	t.Helper()
	g := root(t)
	put(t, g, "time", zarr.Spec{Shape: []int{0}, Chunks: []int{24}, DType: dtype.Int32, Dims: []string{"time"}, Attrs: map[string]any{"units": "hours since 2020-01-01"}}, []int32{})
	put(t, g, "x", zarr.Spec{Shape: []int{2}, DType: dtype.Int8, Dims: []string{"x"}}, []int8{0, 1})
	put(t, g, "t", zarr.Spec{Shape: []int{0, 2}, Chunks: []int{5, 2}, DType: dtype.Int16, Fill: -1, Dims: []string{"time", "x"},
		Attrs: map[string]any{"_FillValue": -1, "scale_factor": 0.5}}, []int16{})
	return g
}

// day returns the data of a day: its times from hour 0 on, and for each hour twice the value.
func day(d int, value float64) []dataset.Data {
	var times []time.Time
	var values []float64
	for h := range 24 {
		times = append(times, time.Date(2020, 1, 1+d, h, 0, 0, 0, time.UTC))
		values = append(values, value, value)
	}
	return []dataset.Data{dataset.StdTimes("time", times), dataset.Floats("t", values)}
}

// TestAppend checks appends of days, one of which is appended twice.
func TestAppend(t *testing.T) {
	d := daily(t)
	var err error
	for i, n := range []int{0, 1, 1, 2} {
		if d, err = d.Append(t.Context(), "time", dataset.AppendOptions{IfAbsent: true}, day(n, float64(i)+0.5)...); err != nil {
			t.Fatal(err)
		}
	}
	g, err := zarr.OpenGroup(t.Context(), d.Group().Store(), "")
	if err != nil {
		t.Fatal(err)
	}
	v := variable(t, sel(t, open(t, g), dataset.At("x", 0), dataset.Slice("time", 0, dataset.End).By(24)), "t")
	if got := values(t, v); fmt.Sprint(got) != "[0.5 1.5 3.5]" {
		t.Errorf("values: %v", got)
	}
	for _, k := range []struct {
		name, words string
		kind        error
		o           dataset.AppendOptions
		data        []dataset.Data
	}{
		{"a day again", "has the label 2020-01-02T00:00:00 already", zarr.ErrExists, dataset.AppendOptions{}, day(1, 1)},
		{"an earlier day", "do not follow", zarr.ErrSelection, dataset.AppendOptions{IfAbsent: true}, day(-1, 1)},
		{"half of it exists", "not the 24 labels", zarr.ErrConflict, dataset.AppendOptions{IfAbsent: true}, []dataset.Data{
			dataset.Times("time", shifted(t, 60)), dataset.Floats("t", make([]float64, 48))}},
		{"one variable", "variable t has the dimension", zarr.ErrSelection, dataset.AppendOptions{}, day(3, 1)[:1]},
		{"another length", "want 48", zarr.ErrSelection, dataset.AppendOptions{}, []dataset.Data{day(3, 1)[0], dataset.Floats("t", make([]float64, 46))}},
		{"an unknown variable", `no variable "q"`, zarr.ErrSelection, dataset.AppendOptions{}, []dataset.Data{dataset.Floats("q", []float64{1})}},
		{"values that cannot be stored", "value 3", zarr.ErrType, dataset.AppendOptions{}, []dataset.Data{day(3, 1)[0], dataset.Floats("t", append([]float64{0, 0, 0, 1e9}, make([]float64, 44)...))}},
		{"a missing value as a value", "missing value", zarr.ErrType, dataset.AppendOptions{}, []dataset.Data{day(3, 1)[0], dataset.Floats("t", append([]float64{-0.5}, make([]float64, 47)...))}},
		{"half an hour", "not an integer number", zarr.ErrType, dataset.AppendOptions{}, []dataset.Data{dataset.StdTimes("time", []time.Time{time.Date(2020, 2, 1, 0, 30, 0, 0, time.UTC)}), dataset.Floats("t", []float64{1, 1})}},
	} {
		if _, err := d.Append(t.Context(), "time", k.o, k.data...); !errors.Is(err, k.kind) || !strings.Contains(err.Error(), k.words) {
			t.Errorf("%s: %v", k.name, err)
		}
	}
	if _, err := d.Append(t.Context(), "z", dataset.AppendOptions{}); !errors.Is(err, zarr.ErrSelection) {
		t.Errorf("an unknown dimension: %v", err)
	}
	d, err = d.Append(t.Context(), "time", dataset.AppendOptions{AnyOrder: true}, day(-1, math.NaN())...)
	if err != nil {
		t.Fatal(err)
	}
	last := sel(t, d, dataset.At("time", -1), dataset.At("x", 1))
	if got := values(t, variable(t, last, "t")); len(got) != 1 || !math.IsNaN(got[0]) {
		t.Errorf("the last value is %v, want NaN", got)
	}
}

// shifted returns 24 hours from an hour of 2020 on.
func shifted(t *testing.T, hour int64) []cf.Time {
	t.Helper()
	u, err := cf.ParseTimeUnits("hours since 2020-01-01", "standard")
	if err != nil {
		t.Fatal(err)
	}
	out := make([]cf.Time, 24)
	for i := range out {
		if out[i], err = u.Time(hour + int64(i)); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestAppendsMeet checks that jobs that append the same days concurrently append each day once, and
// that no job is lost.
func TestAppendsMeet(t *testing.T) {
	first := daily(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			d := first // as of the start of the job
			for n := range 5 {
				var err error
				if d, err = d.Append(t.Context(), "time", dataset.AppendOptions{IfAbsent: true, Wait: time.Minute}, day(n, float64(n))...); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	g, err := zarr.OpenGroup(t.Context(), first.Group().Store(), "")
	if err != nil {
		t.Fatal(err)
	}
	d := open(t, g)
	times, err := variable(t, d, "time").Times(t.Context())
	if err != nil || len(times) != 5*24 {
		t.Fatalf("%d times, %v", len(times), err)
	}
	for i := 1; i < len(times); i++ {
		if times[i].Sub(times[i-1]) != 3600 {
			t.Errorf("%v follows %v", times[i], times[i-1])
		}
	}
	for i, v := range values(t, variable(t, d, "t")) {
		if v != float64(i/48) {
			t.Fatalf("value %d is %v", i, v)
		}
	}
}

// TestKilledAppend kills a job before each of its puts, with and without consolidated metadata. The
// dataset then opens with the rows of either none or all of the job, and the next job completes the
// work.
func TestKilledAppend(t *testing.T) {
	for _, consolidated := range []bool{false, true} {
		ends := map[int]bool{} // lengths that a reader found after a killed job
		for kill := 0; ; kill++ {
			g := unconsolidated(t)
			if consolidated {
				if _, err := g.Consolidate(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			st := g.Store()
			left := atomic.Int64{}
			left.Store(int64(kill))
			dying := store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
				if c.Op == store.OpPut && left.Add(-1) < 0 {
					return ctx, errKilled
				}
				return ctx, nil
			}})
			killed, err := dataset.Open(t.Context(), dying, "", dataset.Options{})
			if err != nil {
				t.Fatal(err)
			}
			_, failed := killed.Append(t.Context(), "time", dataset.AppendOptions{IfAbsent: true}, day(0, 1)...)
			if failed != nil && !errors.Is(failed, errKilled) {
				t.Fatal(failed)
			}
			d, err := dataset.Open(t.Context(), st, "", dataset.Options{})
			if err != nil {
				t.Fatalf("after %d puts: %v", kill, err)
			}
			times, err := variable(t, d, "time").Times(t.Context())
			if n := d.Dims()[0].Len; err != nil || n != len(times) || n != 0 && n != 24 || len(values(t, variable(t, d, "t"))) != 2*n {
				t.Fatalf("after %d puts: %v, %d times, %v", kill, d.Dims(), len(times), err)
			}
			ends[len(times)] = true
			d, err = d.Append(t.Context(), "time", dataset.AppendOptions{IfAbsent: true, TakeOver: -1}, day(0, 1)...)
			if err != nil {
				t.Fatalf("the next job after %d puts: %v", kill, err)
			}
			if got := values(t, variable(t, d, "t")); len(got) != 48 || slices.ContainsFunc(got, func(v float64) bool { return v != 1 }) || len(d.Findings()) > 0 {
				t.Fatalf("after %d puts the next job stores %v; findings %v", kill, got, d.Findings())
			}
			if failed == nil {
				break
			}
		}
		if !ends[0] || !ends[24] {
			t.Errorf("readers found the lengths %v", ends)
		}
	}
}

var errKilled = errors.New("killed")

func succeed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
