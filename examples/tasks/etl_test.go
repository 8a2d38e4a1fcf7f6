package tasks_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func Example_parallelETL() {
	ctx, st := context.Background(), mem.New()
	check := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	day := func(i int) time.Time { return time.Date(2026, 1, i, 0, 0, 0, 0, time.UTC) }
	var january []time.Time
	for i := range 31 {
		january = append(january, day(1+i))
	}
	var writers sync.WaitGroup
	for i := range 4 { // writer i writes the days i+1, i+5, …, but no writer writes day 7
		writers.Go(func() {
			d, err := template(ctx, st, january)
			check(err)
			for n := i + 1; n <= 31; n += 4 {
				if n != 7 {
					check(writeDay(ctx, d, day(n), []float64{270 + float64(n), 280, 290}))
				}
			}
		})
	}
	writers.Wait()
	d, err := template(ctx, st, january)
	check(err)
	fmt.Println(missing(ctx, d))
	check(writeDay(ctx, d, day(7), []float64{277, 280, 290})) // backfill
	check(writeDay(ctx, d, day(3), []float64{999 - 700, 281, 291}))
	for n := 1; n < 30; n++ { // the window has two days
		check(blankDay(ctx, d, day(n)))
	}
	days, err := missing(ctx, d)
	check(err)
	last, err := d.Var("t2m", dataset.Slice("time", -3, dataset.End))
	check(err)
	values, err := dataset.Read[float32](ctx, last)
	fmt.Println(len(days), values, err)
	// Output:
	// [2026-01-07T00:00:00] <nil>
	// 29 [NaN NaN NaN 300 280 290 301 280 290] <nil>
}

// template opens the dataset, and creates it with empty rows for the days if it does not exist.
func template(ctx context.Context, st store.Store, days []time.Time) (*dataset.Dataset, error) {
	along := func(t dtype.Type, dims ...string) zarr.Spec {
		return zarr.Spec{Shape: []int{0, 3}[:len(dims)], Chunks: []int{366, 3}[:len(dims)], DType: t, Dims: dims}
	}
	labels, values, done := along(dtype.Int32, "time"), along(dtype.Int16, "time", "lat"), along(dtype.Uint8, "time")
	labels.Attrs = map[string]any{"units": "days since 2026-01-01"}
	values.Attrs, values.Chunks = map[string]any{"scale_factor": 0.01, "add_offset": 273.15}, []int{1, 3} // a day is a chunk
	d, err := dataset.Create(ctx, st, "", dataset.Spec{Vars: []dataset.VarSpec{
		{Name: "time", Spec: labels}, {Name: "t2m", Spec: values, Missing: -32768}, {Name: "done", Spec: done},
	}}, dataset.Options{})
	if err != nil {
		return nil, err
	}
	return d.Append(ctx, "time", dataset.AppendOptions{IfAbsent: true, Wait: time.Minute}, dataset.StdTimes("time", days),
		dataset.Floats("t2m", slices.Repeat([]float64{math.NaN()}, 3*len(days))), dataset.Stored("done", make([]uint8, len(days))))
}

// writeDay writes the values of a day, or replaces them.
func writeDay(ctx context.Context, d *dataset.Dataset, day time.Time, t2m []float64) error {
	row, err := d.Sel(dataset.Label("time", day))
	if err != nil {
		return err
	}
	if _, err := row.Write(ctx, dataset.Floats("t2m", t2m)); err != nil {
		return err
	}
	_, err = row.Write(ctx, dataset.Stored("done", []uint8{1}))
	return err
}

// blankDay deletes the values of a day.
func blankDay(ctx context.Context, d *dataset.Dataset, day time.Time) error {
	row, err := d.Sel(dataset.Label("time", day))
	if err != nil {
		return err
	}
	if _, err := row.Write(ctx, dataset.Stored("done", []uint8{0})); err != nil {
		return err
	}
	nan := math.NaN()
	_, err = row.Write(ctx, dataset.Floats("t2m", []float64{nan, nan, nan}))
	return err
}

// missing lists the days that no writer has finished.
func missing(ctx context.Context, d *dataset.Dataset) (days []string, err error) {
	done, err := d.Var("done")
	if err != nil {
		return nil, err
	}
	finished, err := zarr.Read[uint8](ctx, done.Array(), done.Selection()...)
	if err != nil {
		return nil, err
	}
	labels, _ := done.Coord("time")
	times, err := labels.Times(ctx)
	for i, t := range times {
		if finished[i] == 0 {
			days = append(days, t.String())
		}
	}
	return days, err
}
