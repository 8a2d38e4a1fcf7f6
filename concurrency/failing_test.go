package concurrency_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
)

// TestSingleFlightKeepsTheFailure checks that a caller that leaves a load gets the last failure of
// the load, whether or not other callers wait, and also through a nested load.
func TestSingleFlightKeepsTheFailure(t *testing.T) {
	refused := fault.Newf(fault.Throttled, "SlowDown")
	stuck := func(ctx context.Context) (int, error) {
		concurrency.Failing(ctx, refused)
		<-ctx.Done()
		return 0, ctx.Err()
	}
	synctest.Test(t, func(t *testing.T) {
		var j, inner concurrency.SingleFlight[string, int]
		wait := func(d time.Duration, f func(context.Context) (int, error)) error {
			ctx, cancel := context.WithTimeout(t.Context(), d)
			defer cancel()
			_, _, err := j.Do(ctx, "x", f)
			return err
		}
		errs := make(chan error, 2)
		go func() { errs <- wait(time.Minute, stuck) }()
		synctest.Wait()
		go func() { errs <- wait(time.Second, stuck) }()
		for range 2 {
			if err := <-errs; !errors.Is(err, fault.Throttled) || !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
		}
		nested := func(ctx context.Context) (int, error) {
			v, _, err := inner.Do(ctx, "y", stuck)
			return v, err
		}
		if err := wait(time.Second, nested); !errors.Is(err, fault.Throttled) {
			t.Errorf("nested: %v", err)
		}
		over := func(ctx context.Context) (int, error) {
			concurrency.Failing(ctx, refused)
			concurrency.Failing(ctx, nil)
			<-ctx.Done()
			return 0, ctx.Err()
		}
		if err := wait(time.Second, over); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, fault.Throttled) {
			t.Errorf("after a success: %v", err)
		}
	})
}

// TestEachKeepsTheFailure checks that Each returns the failure that a task repeated until the
// deadline, if other tasks end first because of the deadline alone.
func TestEachKeepsTheFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := concurrency.EachN(ctx, 4, 4, func(ctx context.Context, n int) error {
			<-ctx.Done()
			if n < 3 {
				return ctx.Err()
			}
			time.Sleep(time.Second)
			return &fault.Interrupted{Err: ctx.Err(), Last: fault.Throttled}
		})
		if !errors.Is(err, fault.Throttled) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
}
