package processes

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/integration/child"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

const (
	someDays = 5
	perDay   = 3 // rows
)

// daily is the job of one day. It appends the rows of the day to the dataset, unless they exist.
func daily(ctx context.Context, st store.Store, day int) error {
	var times []time.Time
	var data []int32
	for i := day * perDay; i < (day+1)*perDay; i++ {
		times = append(times, time.Date(2000, 1, 1, i, 0, 0, 0, time.UTC))
		for x := range width {
			data = append(data, value(i, x))
		}
	}
	d, err := dataset.Open(ctx, st, "g", dataset.Options{})
	if err != nil {
		return err
	}
	_, err = d.Append(ctx, "time", dataset.AppendOptions{IfAbsent: true, Wait: time.Minute},
		dataset.StdTimes("time", times), dataset.Stored("t2m", data))
	return err
}

// jobs runs the jobs of all days.
func (o order) jobs(ctx context.Context, st store.Store) error {
	for day := range someDays {
		if err := daily(ctx, st, day); err != nil {
			return err
		}
		child.Say("ok", int64(day))
	}
	return nil
}

// TestDatasetJobs runs the same jobs concurrently in two processes. Each day must be stored once,
// and all jobs must succeed.
func TestDatasetJobs(t *testing.T) {
	t.Run("dir", func(t *testing.T) { twoJobs(t, order{Place: t.TempDir()}) })
	for _, p := range bucket.All() {
		t.Run(p.Name, func(t *testing.T) { twoJobs(t, order{Provider: p.Name, Place: p.URL(t)}) })
	}
}

func twoJobs(t *testing.T, o order) {
	o.Do = jobs
	st, err := o.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	succeed(t, create(t.Context(), st, 3))
	err = concurrency.EachN(t.Context(), 2, 2, func(context.Context, int) error {
		days, err := acknowledged(child.Start(t, o), func() {})
		if err == nil && len(days) != someDays {
			err = fmt.Errorf("a process ended after the days %v", days)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := check(t.Context(), st); err != nil || n != someDays*perDay {
		t.Errorf("%d rows, want %d: %v", n, someDays*perDay, err)
	}
	if claimed(t, st) {
		t.Error("a claim is left")
	}
}

// TestXarrayOpensAppends opens the dataset with xarray after every append.
func TestXarrayOpensAppends(t *testing.T) {
	looks := newXarray(t)
	for _, format := range []int{2, 3} {
		place := t.TempDir()
		st := dir.New(place)
		succeed(t, create(t.Context(), st, format))
		for day := range someDays {
			for range 2 {
				succeed(t, daily(t.Context(), st, day))
				looks.see(t, place+"/g", (day+1)*perDay)
			}
		}
	}
}
