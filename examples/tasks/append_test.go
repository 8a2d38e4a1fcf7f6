package tasks_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"time"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func Example_appendDaily() {
	ctx, st := context.Background(), mem.New()
	values, hours := make([]float32, 24*3), make([]int64, 24)
	for _, day := range []int{0, 1, 1} { // day 1 runs twice
		err := appendDay(ctx, st, day, values, hours)
		fmt.Println("day", day, err == nil, errors.Is(err, zarr.ErrExists))
	}
	a, err := zarr.OpenArray(ctx, st, "t2m")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Shape())
	// Output:
	// day 0 true false
	// day 1 true false
	// day 1 false true
	// [48 3]
}

// appendDay appends day n, 24 rows of values and their times. It returns ErrExists if the day is
// stored already.
func appendDay(ctx context.Context, st store.Store, n int, values []float32, hours []int64) error {
	g, err := zarr.OpenOrCreateGroup(ctx, st, "", zarr.Spec{}, map[string]zarr.Spec{
		"t2m":  {Shape: []int{0, 3}, Chunks: []int{24, 3}, DType: dtype.Float32, Dims: []string{"time", "lat"}},
		"time": {Shape: []int{0}, Chunks: []int{8760}, DType: dtype.Int64, Dims: []string{"time"}},
	})
	if err != nil {
		return err
	}
	o := zarr.AppendOptions{At: new(24 * n), Wait: 10 * time.Minute, TakeOver: 2 * time.Minute}
	_, err = g.Append(ctx, "time", o, zarr.RowsOf("t2m", values), zarr.RowsOf("time", hours))
	return err
}

func Example_appendLabels() {
	ctx, st := context.Background(), mem.New()
	_, err := dataset.Create(ctx, st, "", dataset.Spec{Vars: []dataset.VarSpec{
		{Name: "time", Spec: zarr.Spec{Shape: []int{0}, Chunks: []int{8760}, DType: dtype.Int64, Dims: []string{"time"}, Attrs: map[string]any{"units": "hours since 2026-01-01"}}},
		{Name: "t2m", Missing: -9999, Spec: zarr.Spec{Shape: []int{0, 3}, Chunks: []int{24, 3}, DType: dtype.Float32, Dims: []string{"time", "lat"}}},
	}}, dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	hours, values := []time.Time{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}, []float32{280, 281, 282}
	var jobs sync.WaitGroup
	for range 2 { // the same job runs twice at once
		jobs.Go(func() {
			if err := appendHours(ctx, st, hours, values); err != nil {
				log.Fatal(err)
			}
		})
	}
	jobs.Wait()
	d, err := dataset.Open(ctx, st, "", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Dims())
	// Output: [{time 1} {lat 3}]
}

// appendHours appends t2m(time, lat) for some hours. It does nothing if the hours are stored
// already.
func appendHours(ctx context.Context, st store.Store, hours []time.Time, t2m []float32) error {
	d, err := dataset.Open(ctx, st, "", dataset.Options{})
	if err != nil {
		return err
	}
	_, err = d.Append(ctx, "time", dataset.AppendOptions{IfAbsent: true, Wait: 10 * time.Minute, TakeOver: 2 * time.Minute},
		dataset.StdTimes("time", hours), dataset.Floats("t2m", t2m))
	return err
}

func Example_writer() {
	ctx := context.Background()
	a, err := zarr.Create(ctx, mem.New(), "ticks", zarr.Spec{
		Shape: []int{0}, Chunks: []int{4}, Shards: []int{16}, DType: dtype.Int64,
	})
	if err != nil {
		log.Fatal(err)
	}
	w, err := zarr.NewWriter[int64](ctx, a, 0, zarr.AppendOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for i := range int64(20) {
		if err := w.Write(ctx, []int64{i}); err != nil {
			log.Fatal(err)
		}
	}
	if a, err = w.Close(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Shape())
	// Output: [20]
}
