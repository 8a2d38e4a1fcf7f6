package tasks_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync/atomic"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

func Example_limits() {
	ctx := context.Background()
	st := weather(ctx)
	a, err := zarr.OpenArray(ctx, st, "t2m", zarr.Limit(zarr.Limits{
		Requests: 4,       // of one call
		Bytes:    1 << 20, // stored bytes that one call may read
		Shared: &concurrency.Limits{ // of all calls with these limits
			CPU:   concurrency.NewCPU(2),
			Bytes: concurrency.NewBudget(64 << 20),
		},
	}))
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()

	hour, err := zarr.Read[float32](ctx, a, zarr.At(0)) // 4 chunks
	fmt.Println(len(hour), err)
	_, err = zarr.Read[float32](ctx, a) // 8 chunks: refused before the first request
	fmt.Println(errors.Is(err, zarr.ErrLimit))
	// Output:
	// 24 <nil>
	// true
}

func Example_report() {
	ctx := context.Background()
	st := weather(ctx)
	var report zarr.Report
	a, err := zarr.OpenArray(ctx, st, "t2m", zarr.WithReport(&report))
	if err != nil {
		log.Fatal(err)
	}
	before := report.Gets.Load()
	if _, err := zarr.Read[float32](ctx, a, zarr.At(0)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Gets.Load()-before, "gets,", report.Missing.Load(), "missing chunks")
	// Output: 4 gets, 0 missing chunks
}

func Example_failingStore() {
	ctx := context.Background()
	st := weather(ctx)
	var gets atomic.Int64
	st = store.Around(st, store.Hooks{
		Before: func(ctx context.Context, c store.Call) (context.Context, error) {
			if c.Op == store.OpGet && c.Key == "t2m/c/1/1/1" {
				return ctx, &fault.KeyError{Op: "get", Key: c.Key, Kind: fault.Unavailable}
			}
			return ctx, nil
		},
		After: func(_ context.Context, c store.Call, _ store.Result) {
			if c.Op == store.OpGet {
				gets.Add(1)
			}
		},
	})
	a, err := zarr.OpenArray(ctx, st, "t2m", zarr.Format(3))
	if err != nil {
		log.Fatal(err)
	}
	_, err = zarr.Read[float32](ctx, a, zarr.At(0))
	fmt.Println(gets.Load(), "gets", err)

	_, err = zarr.Read[float32](ctx, a)
	fmt.Println(errors.Is(err, zarr.ErrUnavailable))
	// Output:
	// 5 gets <nil>
	// true
}
