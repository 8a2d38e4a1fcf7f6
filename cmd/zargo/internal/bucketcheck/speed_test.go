package bucketcheck_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/cmd/zargo/internal/bucketcheck"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// cloud returns a store over m that simulates a network: 30 ms to the first byte, 80 MB/s for each
// connection, and at most perSecond requests per second.
func cloud(m *mem.Store, perSecond int) store.Store {
	slots := concurrency.NewSlots(perSecond * 30 / 1000)
	took := func(ctx context.Context, c store.Call, n int64) {
		_ = slots.Acquire(ctx)
		_ = concurrency.Sleep(ctx, 30*time.Millisecond)
		slots.Release()
		if t := store.TraceOf(ctx); t != nil {
			t.FirstByte(ctx, store.FirstByte{Op: c.Op, Key: c.Key, After: 30 * time.Millisecond})
			t.Attempt(ctx, store.Attempt{Op: c.Op, Key: c.Key, Received: n})
		}
		_ = concurrency.Sleep(ctx, time.Duration(n)*time.Second/80e6)
	}
	return store.Around(m, store.Hooks{
		After: func(ctx context.Context, c store.Call, r store.Result) { took(ctx, c, r.Bytes) },
		Provide: func(target any) bool {
			t, ok := target.(*store.Tuning)
			if ok {
				*t = store.Tuning{Requests: 128, RangeGap: 1 << 20}
			}
			return ok
		},
	})
}

func TestSpeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := mem.New()
		o := on(func() store.Store { return cloud(m, 1000) })
		o.Quick, o.NoSpeed = false, false
		r, err := bucketcheck.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		s := r.Speed
		small := 30*time.Millisecond + 4096*time.Second/80e6
		if want := (bucketcheck.Latency{Requests: 40, Bytes: 4096, P50: small, P95: small, FirstByte: 30 * time.Millisecond, Tail: 30 * time.Millisecond}); *s.Get != want || *s.Put != want {
			t.Errorf("%+v, %+v, want %+v", *s.Get, *s.Put, want)
		}
		if b := s.Bandwidth; b.Bytes != 16<<20 || b.Requests != 3 || b.PerSecond < 79.9e6 || b.PerSecond > 80.1e6 {
			t.Errorf("%+v", b)
		}
		var levels []string
		for _, l := range s.Reads {
			levels = append(levels, fmt.Sprintf("%d: %.0f", l.InFlight, l.PerSecond))
		}
		// 30 requests in flight are a thousand per second, because the transfer of a body does not
		// use a slot.
		t.Log(levels)
		got := map[string]bucketcheck.Advice{}
		for _, a := range r.Tuning {
			got[a.Name] = a
		}
		if a := got["requests"]; a.Value != 32 || a.Now != 128 || !strings.Contains(a.Why, "32 is the fewest with 90 % of the most") {
			t.Errorf("%+v", a)
		}
		if a := got["range_gap"]; a.Value != 2<<20 || a.Now != 1<<20 || !strings.Contains(a.Why, "30.0 ms to the first byte × 80.0 MB a second = 2.4 MB") {
			t.Errorf("%+v", a)
		}
		if a := got["part"]; a.Value != 10<<20 || a.Now != 0 {
			t.Errorf("%+v", a)
		}
		if a := got["split_above"]; a.Value != 20<<20 {
			t.Errorf("%+v", a)
		}
		if p := o.Plan(); r.Cost.Requests > p.Requests {
			t.Errorf("%d requests, the plan was %v", r.Cost.Requests, p)
		}
	})
}

// TestThrottledLevels checks that throttled levels are not chosen.
func TestThrottledLevels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := mem.New()
		o := on(func() store.Store {
			slots := concurrency.NewSlots(1 << 10)
			return store.Around(cloud(m, 100_000), store.Hooks{
				Before: func(ctx context.Context, c store.Call) (context.Context, error) {
					return ctx, slots.Acquire(ctx)
				},
				After: func(ctx context.Context, _ store.Call, _ store.Result) {
					if slots.Held() > 100 {
						store.TraceOf(ctx).Retry(ctx, store.Retry{})
					}
					slots.Release()
				},
			})
		})
		o.NoSpeed = false
		r, err := bucketcheck.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if a := r.Tuning[0]; a.Name != "requests" || a.Value != 32 || !strings.Contains(a.Why, "with repeats") {
			t.Errorf("%+v", a)
		}
	})
}
