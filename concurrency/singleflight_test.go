package concurrency_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/concurrency"
)

func TestSingleFlightLoadsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var j concurrency.SingleFlight[string, int]
		var loads, joins atomic.Int64
		load := func(context.Context) (int, error) {
			time.Sleep(time.Minute)
			return int(loads.Add(1)), nil
		}
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				v, joined, err := j.Do(t.Context(), "x", load)
				if v != 1 || err != nil {
					t.Errorf("%d, %v", v, err)
				}
				if joined {
					joins.Add(1)
				}
			})
		}
		wg.Go(func() {
			if _, joined, _ := j.Do(t.Context(), "y", func(context.Context) (int, error) { return 0, nil }); joined {
				t.Error("joined a load of another name")
			}
		})
		wg.Wait()
		if loads.Load() != 1 || joins.Load() != 9 {
			t.Errorf("%d loads, %d joined", loads.Load(), joins.Load())
		}
		if v, joined, err := j.Do(t.Context(), "x", load); v != 2 || joined || err != nil {
			t.Errorf("afterwards: %d, %v, %v", v, joined, err)
		}
	})
}

func TestSingleFlightOutlivesItsFirstCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var j concurrency.SingleFlight[string, string]
		ended := 0
		load := func(ctx context.Context) (string, error) {
			defer func() { ended++ }()
			select {
			case <-time.After(time.Minute):
				return "done", nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cause := errors.New("enough")
		other, leave := context.WithCancelCause(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, _, err := j.Do(ctx, "x", load); !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled: %v", err)
			}
		})
		synctest.Wait()
		wg.Go(func() {
			if v, joined, err := j.Do(t.Context(), "x", load); v != "done" || !joined || err != nil {
				t.Errorf("joined: %q, %v, %v", v, joined, err)
			}
		})
		synctest.Wait()
		cancel()
		wg.Wait()

		// The last caller that leaves ends the load.
		wg.Go(func() {
			if _, _, err := j.Do(other, "x", load); !errors.Is(err, cause) {
				t.Errorf("left: %v", err)
			}
		})
		synctest.Wait()
		leave(cause)
		wg.Wait()
		if ended != 2 {
			t.Errorf("%d loads ended", ended)
		}
		if _, _, err := j.Do(other, "x", load); !errors.Is(err, cause) || ended != 2 {
			t.Errorf("with a context that is over: %v", err)
		}
	})
}
