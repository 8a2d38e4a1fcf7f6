package limit_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/zarr/store/limit"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestShortFleets checks that processes of few requests each, which start at the same time and know
// their number, spread their first requests.
func TestShortFleets(t *testing.T) {
	for _, k := range []struct {
		procs, n int
		rate     float64
		asks     float64 // maximum requests to one that is needed
	}{
		{10_000, 3, 5500, 1.1},
		{10_000, 10, 5500, 1.5},
		{1000, 3, 5500, 1.1},
		{1000, 3, 500, 3.5}, // fewer than the first rate of a fleet, which assumes a usual bucket
	} {
		if k.procs > 1000 && (race.Enabled || k.n > 3 && !*whole) {
			continue
		}
		t.Run(fmt.Sprintf("%d processes with %d reads, %v a second", k.procs, k.n, k.rate), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &service{Store: mem.New(), latency: 35 * ms, refusal: 30 * ms, rate: k.rate, burst: k.rate / 10}
				o := fleet{procs: k.procs, n: k.n, told: true, numbers: clouds}.run(t, s)
				needed := float64(k.procs * k.n)
				took, asked := o.took.Seconds()*k.rate/needed, float64(s.requests)/needed
				t.Logf("%v, %.2f times the optimum; %.2f requests to one that is needed; %d failed", o.took, took, asked, len(o.failed))
				if len(o.failed) > 0 {
					t.Errorf("one of those that failed: %v", o.failed[0])
				}
				if took > 2.2 || asked > k.asks {
					t.Errorf("want at most 2.2 times the optimum and %v requests to one that is needed", k.asks)
				}
			})
		})
	}
}

// TestWrongShare checks that a process that is the only one, but assumes many others, soon uses the
// bucket fully.
func TestWrongShare(t *testing.T) {
	for _, n := range []int{100, 10_000, 1_000_000} {
		synctest.Test(t, func(t *testing.T) {
			s := &service{Store: mem.New(), latency: 35 * ms}
			numbers := clouds
			numbers.Share = n
			b := limit.NewBucket(numbers)
			took := get(t, retried(t, limit.New(s, limit.Options{Bucket: b})), 130, 3000)
			t.Logf("one of %d: 3000 reads took %v", n, took)
			if size, _ := b.InFlight(); size < 64 || took > 2*time.Minute {
				t.Errorf("one of %d: %d in flight after %v", n, size, took)
			}
		})
	}
}
