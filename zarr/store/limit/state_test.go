package limit_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/limit"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// TestState checks that the state describes an idle bucket, a busy one, one that paces requests,
// and one that pauses.
func TestState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{Store: mem.New(), latency: 35 * ms, refusal: 30 * ms}
		quota := retry.NewQuota()
		limited := limit.New(s, limit.Options{Bucket: limit.NewBucket(limit.BucketOptions{Reads: 128, Writes: 32})})
		st := retried(t, limited, retry.From(quota))
		now := func() (v limit.State) {
			if !store.As(st, &v) {
				t.Fatal("no state")
			}
			return v
		}
		if v := now(); v.Reads != (limit.Side{Size: 128}) || v.Writes != (limit.Side{Size: 32}) || v.Prefixes != nil {
			t.Errorf("at first: %+v", v)
		}
		ctx, cancel := context.WithCancel(t.Context())
		for range 130 {
			go func() { _, _ = st.Get(ctx, "k", store.GetOptions{}, nil) }()
		}
		synctest.Wait()
		if v := now().Reads; v.InFlight != 128 || v.Waiting != 2 {
			t.Errorf("busy: %+v", v)
		}
		cancel()
		synctest.Wait()
		s.rate, s.burst = 1000, 100
		get(t, st, 130, 3000)
		if v := now().Reads; v.Pace != 0 || v.Refused != int64(s.denied) || v.Cuts == 0 || v.Ceiling == 0 || v.Size > 64 {
			t.Errorf("1000 a second: %+v", v)
		}
		if v := limit.NewBucket(limit.BucketOptions{Reads: 128, Writes: 128, Share: 1000}).State().Reads; v.Pace < 3 || v.Pace > 4 || v.Size != 2 {
			t.Errorf("one of a thousand: %+v", v)
		}
		s.lose, s.after = 1, time.Minute
		for range 2 {
			_, _ = limited.Get(t.Context(), "k", store.GetOptions{}, nil)
			time.Sleep(time.Second)
		}
		time.Sleep(time.Minute)
		_, _ = limited.Get(t.Context(), "k", store.GetOptions{}, nil)
		if v := now().Reads; !v.PausedUntil.After(time.Now()) || !errors.Is(v.Why, fault.Throttled) || now().Writes.Why != nil {
			t.Errorf("paused: %+v", v)
		}
		var q *retry.Quota
		if !store.As(st, &q) || q != quota {
			t.Errorf("quota %v", q)
		}
	})
}

type stall struct{ error }

func (stall) Stalled() bool   { return true }
func (s stall) Unwrap() error { return s.error }

type stalling struct{ *mem.Store }

func (stalling) Get(context.Context, string, store.GetOptions, []byte) (store.Value, error) {
	return store.Value{}, stall{fault.Unavailable}
}

// TestStateCountsStalls checks that stalled requests are counted, also those in own slots.
func TestStateCountsStalls(t *testing.T) {
	b := limit.NewBucket(limit.BucketOptions{Reads: 8, Writes: 8})
	for _, n := range []int{0, 3} {
		_, _ = limit.New(stalling{mem.New()}, limit.Options{Bucket: b, InFlight: n}).Get(t.Context(), "k", store.GetOptions{}, nil)
	}
	if n := b.State().Reads.Stalls; n != 2 {
		t.Errorf("%d stalls", n)
	}
}

func ExampleState() {
	st := limit.New(mem.New(), limit.Options{Bucket: limit.NewBucket(limit.BucketOptions{Reads: 128, Writes: 32})})
	var state limit.State
	if store.As(st, &state) {
		fmt.Println(state.Reads.Size, state.Writes.Size, state.Reads.PausedUntil.IsZero())
	}
	// Output: 128 32 true
}
