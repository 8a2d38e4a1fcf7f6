package dataset_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"slices"
	"testing"
	"time"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func TestFunc(t *testing.T) {
	ctx := t.Context()
	d, err := dataset.Create(ctx, mem.New(), "", example, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	days := func(n ...int) dataset.Data {
		var at []time.Time
		for _, i := range n {
			at = append(at, time.Date(2020, 1, 1+i, 0, 0, 0, 0, time.UTC))
		}
		return dataset.StdTimes("time", at)
	}
	calls := 0
	write := func(ctx context.Context, view *zarr.Array, from int) error {
		calls++
		return zarr.Write(ctx, view, []int16{1, 2, 3, 4, 5, 6}, zarr.Range(from, zarr.End))
	}
	if d, err = d.Append(ctx, "time", dataset.AppendOptions{}, days(0, 1), dataset.Func("t", 2, write)); err != nil || calls != 1 {
		t.Fatal(err, calls)
	}
	if d, err = d.Append(ctx, "time", dataset.AppendOptions{IfAbsent: true}, days(0, 1), dataset.Func("t", 2, write)); err != nil || calls != 1 {
		t.Fatalf("the rows were written again: %v, %d calls", err, calls)
	}
	v, err := d.Var("t")
	if err != nil {
		t.Fatal(err)
	}
	got, err := zarr.Read[int16](ctx, v.Array())
	if err != nil || !slices.Equal(got, []int16{1, 2, 3, 4, 5, 6}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, c := range []struct {
		name string
		o    dataset.AppendOptions
		data []dataset.Data
		want error
	}{
		{"another number of rows", dataset.AppendOptions{}, []dataset.Data{days(2), dataset.Func("t", 2, write)}, fault.Selection},
		{"labels", dataset.AppendOptions{}, []dataset.Data{dataset.Func("time", 2, write), dataset.Func("t", 2, write)}, fault.Selection},
		{"no function", dataset.AppendOptions{}, []dataset.Data{days(2), dataset.Func("t", 1, nil)}, fault.Selection},
		{"late", dataset.AppendOptions{At: new(1)}, []dataset.Data{days(5, 6), dataset.Func("t", 2, write)}, fault.Exists},
		{"early", dataset.AppendOptions{At: new(3)}, []dataset.Data{days(5, 6), dataset.Func("t", 2, write)}, fault.Conflict},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := d.Append(ctx, "time", c.o, c.data...); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
		})
	}
	if _, err := d.Write(ctx, dataset.Func("t", 2, write)); !errors.Is(err, fault.Selection) {
		t.Error(err)
	}
}

// Rows are reserved with their labels, and filled later.
func ExampleFunc() {
	ctx, st := context.Background(), mem.New()
	d, err := dataset.Create(ctx, st, "", example, dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var days []time.Time
	for i := range 31 {
		days = append(days, time.Date(2020, 1, 1+i, 0, 0, 0, 0, time.UTC))
	}
	empty := func(context.Context, *zarr.Array, int) error { return nil } // the chunks are not stored
	d, err = d.Append(ctx, "time", dataset.AppendOptions{IfAbsent: true}, dataset.StdTimes("time", days), dataset.Func("t", len(days), empty))
	if err != nil {
		log.Fatal(err)
	}
	day, err := d.Sel(dataset.At("time", 4))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := day.Write(ctx, dataset.Floats("t", []float64{20, 21, 22})); err != nil {
		log.Fatal(err)
	}
	t, err := d.Var("t", dataset.Label("time", "2020-01-05"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(dataset.Read[float32](ctx, t))
	// Output: [20 21 22] <nil>
}
