package limit_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestHints checks that a service that sends Retry-After with its refusals, but serves other
// requests, is used as fully as one that does not send it.
func TestHints(t *testing.T) {
	every := func(d time.Duration) func() func() time.Duration {
		return func() func() time.Duration { return func() time.Duration { return d } }
	}
	for _, k := range []struct {
		name string
		hint func() func() time.Duration
	}{
		{"1 s", every(time.Second)},
		{"5 s", every(5 * time.Second)},
		{"30 s", every(30 * time.Second)},
		{"60 s", every(time.Minute)},
		{"60 s with one in 68 refusals", func() func() time.Duration {
			var n atomic.Int64
			return func() time.Duration {
				if n.Add(1)%68 == 0 {
					return time.Minute
				}
				return 0
			}
		}},
		{"the date of the next full minute", func() func() time.Duration {
			return func() time.Duration { return time.Until(time.Now().Truncate(time.Minute).Add(time.Minute)) }
		}},
		{"18 hours or a time in the past", func() func() time.Duration {
			var n atomic.Int64
			return func() time.Duration { return time.Duration(n.Add(1)%2)*19*time.Hour - time.Hour }
		}},
	} {
		for _, procs := range []int{1, 10, 50, 100, 300} {
			if !*whole && (procs != 10 && k.name != "60 s" || procs == 100 || race.Enabled && (procs > 10 || k.name != "60 s")) {
				continue
			}
			t.Run(fmt.Sprintf("%s, %d processes", k.name, procs), func(t *testing.T) {
				t.Parallel()
				const rate = 500
				n := max(300, 30*rate/procs)
				fleet{procs: procs, n: n, numbers: clouds}.check(t, 1.2, func() *service {
					return &service{rate: rate, burst: rate / 10, hint: k.hint()}
				})
			})
		}
	}
}

// TestHintsRefusedForGood checks that requests to a service that refuses all of them, and sends
// Retry-After, end, and that few requests are sent.
func TestHintsRefusedForGood(t *testing.T) {
	for _, after := range []time.Duration{0, time.Second, time.Minute, 18 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			s := &service{Store: mem.New(), refusal: 30 * ms, lose: 1, after: after}
			start := time.Now()
			o := fleet{procs: 1, n: 130, numbers: clouds}.run(t, s)
			t.Logf("hint %v: %v, %d requests", after, time.Since(start), s.requests)
			if len(o.failed) != 130 || o.took > 15*time.Minute || s.requests > 10*130 {
				t.Errorf("hint %v: %d failed in %v, with %d requests", after, len(o.failed), o.took, s.requests)
			}
		})
	}
}

// TestHintOfFewRefusals checks that a service that refuses one in 68 requests, with a Retry-After
// of a minute, is not slowed.
func TestHintOfFewRefusals(t *testing.T) {
	fleet{procs: 1, n: 20_000, numbers: clouds}.check(t, 1.2, func() *service {
		return &service{lose: 1.0 / 68, after: time.Minute}
	})
}
