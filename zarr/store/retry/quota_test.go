package retry_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// outage is a store that is down until a time, and afterwards fails the first attempts of each
// request.
type outage struct {
	store.Store
	until time.Time
	first int
	n     atomic.Int64
	mu    sync.Mutex
	tries map[string]int
}

func (o *outage) Get(context.Context, string, store.GetOptions, []byte) (store.Value, error) {
	panic("not used")
}

func (o *outage) Put(_ context.Context, key string, _ []byte, _ store.PutOptions) (store.Version, error) {
	o.n.Add(1)
	time.Sleep(10 * time.Millisecond)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.tries == nil {
		o.tries = map[string]int{}
	}
	o.tries[key]++
	if time.Now().Before(o.until) || o.tries[key] <= o.first {
		return "", down
	}
	return "1", nil
}

// all makes a Put from each of a number of concurrent workers and returns the errors.
func all(t *testing.T, s store.Store, workers int) (failed []error) {
	t.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			if _, err := s.Put(t.Context(), strings.Repeat("k", 1+i%100)+string(rune('a'+i/100)), nil, store.PutOptions{}); err != nil {
				mu.Lock()
				failed = append(failed, err)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return failed
}

// TestQuotaBoundsRepeats checks that many workers do not send ten attempts each if the service
// stays down. All workers give up as usual, and their errors say why fewer attempts were sent.
func TestQuotaBoundsRepeats(t *testing.T) {
	for _, workers := range []int{128, 1000} {
		synctest.Test(t, func(t *testing.T) {
			o := &outage{Store: mem.New(), until: time.Now().Add(time.Hour)}
			start := time.Now()
			failed := all(t, over(t, o), workers)
			most := workers + 500 + int(5*time.Since(start).Seconds()) + 1
			if n := int(o.n.Load()); n > most || len(failed) != workers || time.Since(start) > time.Minute {
				t.Errorf("%d requests of %d workers, at most %d; %d failed, after %v", n, workers, most, len(failed), time.Since(start))
			}
			says := 0
			for _, err := range failed {
				if !errors.Is(err, fault.Unavailable) {
					t.Errorf("got %v", err)
				}
				if strings.Contains(err.Error(), "because too many requests to the bucket were failing)") {
					says++
				}
			}
			if says < workers/2 {
				t.Errorf("%d of %d errors say it; one is %v", says, workers, failed[0])
			}
			o.n.Store(0) // later requests are sent about once
			if start = time.Now(); len(all(t, over(t, o, retry.From(retry.NewQuotaOf(0, 5))), workers)) != workers || int(o.n.Load()) > workers+int(5*time.Since(start).Seconds())+1 {
				t.Errorf("%d requests without a quota left", o.n.Load())
			}
		})
	}
}

// TestQuotaSurvivesOutage checks that an outage of some seconds fails none of a thousand workers,
// although there are fewer retries than workers.
func TestQuotaSurvivesOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &outage{Store: mem.New(), until: time.Now().Add(2 * time.Second)}
		q := retry.NewQuota()
		start := time.Now()
		failed := all(t, over(t, o, retry.From(q)), 1000)
		if len(failed) != 0 || time.Since(start) > 30*time.Second {
			t.Errorf("%d failed: %v; took %v", len(failed), errors.Join(failed...), time.Since(start))
		}
		// First attempts, retries that fail, and retries that succeed.
		if n := o.n.Load(); n > 1000+510+1000 {
			t.Errorf("%d requests", n)
		}
		if q.Left() < 490 {
			t.Errorf("%d repeats are left after all have succeeded", q.Left())
		}
	})
}

// TestQuotaIsGivenBack checks that faults that retries cure take no quota, regardless of their
// number.
func TestQuotaIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &outage{Store: mem.New(), first: 2}
		q := retry.NewQuotaOf(300, 0)
		s := over(t, o, retry.From(q))
		waits := 0
		ctx := store.WithTrace(t.Context(), &store.Trace{Wait: func(context.Context, store.Wait) { waits++ }})
		for i := range 20 {
			var wg sync.WaitGroup
			for j := range 128 {
				wg.Go(func() {
					if _, err := s.Put(ctx, strings.Repeat("k", j+1)+string(rune('a'+i)), nil, store.PutOptions{}); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
		}
		if o.n.Load() != 3*20*128 || waits != 0 || q.Left() != 300 {
			t.Errorf("%d requests, %d waits, %d left", o.n.Load(), waits, q.Left())
		}
	})
}

// TestQuotaIsWaitedFor checks that a request without quota waits, reports the wait to the trace,
// respects RetryAfter, and is sent when the quota allows it.
func TestQuotaIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scripted(step{err: busyKey{after{slow, 5 * time.Second}}})
		q := retry.NewQuotaOf(1, 0.125)
		_, err := over(t, scripted(repeat(step{err: down}, 2)...), retry.From(q), retry.Tries(2)).Put(t.Context(), "k", nil, store.PutOptions{})
		if !errors.Is(err, fault.Unavailable) || q.Left() != 0 {
			t.Fatalf("%v, %d left", err, q.Left())
		}
		var waits []store.Wait
		var retries []store.Retry
		ctx := store.WithTrace(t.Context(), &store.Trace{
			Wait:  func(_ context.Context, w store.Wait) { waits = append(waits, w) },
			Retry: func(_ context.Context, r store.Retry) { retries = append(retries, r) },
		})
		start := time.Now()
		if _, err := over(t, s, retry.From(q)).Put(ctx, "k", nil, store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		// 5 s for RetryAfter, and 5 s until the quota has a retry.
		if took := time.Since(start); took < 10*time.Second || took > 11*time.Second {
			t.Errorf("it took %v", took)
		}
		if len(waits) != 1 || waits[0].For != store.WaitQuota || waits[0].Took < 5*time.Second || len(retries) != 1 || retries[0].Wait < 5*time.Second {
			t.Errorf("traced %v and %v", waits, retries)
		}
		if got, want := s.seen(), "put k\nput k"; got != want {
			t.Errorf("requests:\n%s\nwant:\n%s", got, want)
		}
	})
}

// TestQuotaAndLostAnswer checks that a conditional write whose response was lost is read back as
// usual, only later.
func TestQuotaAndLostAnswer(t *testing.T) {
	for name, kind := range map[string]error{"ours": nil, "another's": fault.Exists} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				lost := step{err: down, apply: kind == nil}
				s := scripted(lost)
				if kind != nil {
					if _, err := s.Store.Put(t.Context(), "k", []byte("another"), store.PutOptions{}); err != nil {
						t.Fatal(err)
					}
				}
				r := over(t, s, retry.From(retry.NewQuotaOf(0, 0)))
				_, err := r.Put(t.Context(), "k", value, store.PutOptions{IfAbsent: true})
				// The outcome is unknown, and the error is the one for that.
				if !errors.Is(err, fault.Unavailable) || s.seen() != "put k if absent" {
					t.Errorf("without a repeat: %v", err)
				}
				s = scripted(lost)
				if kind != nil {
					if _, err := s.Store.Put(t.Context(), "k", []byte("another"), store.PutOptions{}); err != nil {
						t.Fatal(err)
					}
				}
				r = over(t, s, retry.From(retry.NewQuotaOf(1, 0)))
				_, err = r.Put(t.Context(), "k", value, store.PutOptions{IfAbsent: true})
				if got := s.seen(); !errors.Is(err, kind) || kind == nil && err != nil || !strings.HasPrefix(got, "put k if absent\nget k ") {
					t.Errorf("%v, requests:\n%s", err, got)
				}
			})
		})
	}
}

func TestNoQuota(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &outage{Store: mem.New(), until: time.Now().Add(time.Hour)}
		if all(t, over(t, o, retry.From(nil)), 200); o.n.Load() != 2000 {
			t.Errorf("%d requests", o.n.Load())
		}
	})
}

// TestQuotaKnowsOverload checks that rare refusals, and refusals that retries cure, are retried
// soon, and that waits for an overloaded service grow. The quota detects refusals that are
// unrelated to the load.
func TestQuotaKnowsOverload(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name    string
		refuse  func(request, try int) bool
		cures   bool
		atLeast time.Duration // minimum mean of the first waits of the later half of the requests
		atMost  time.Duration
	}{
		{"the first two tries of each", func(_, try int) bool { return try < 2 }, true, 2 * time.Millisecond, 3 * time.Millisecond},
		{"one in twenty-five", func(i, try int) bool { return i%25 == 0 && try == 0 }, false, 9 * time.Millisecond, 40 * time.Millisecond},
		{"six of ten, first tries and others", func(int, int) bool { return random.Float64() < 0.6 }, false, 65 * time.Millisecond, 85 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := retry.NewQuota()
				var waits []time.Duration
				for i := range 3000 {
					o := &refusing{Store: mem.New(), refuse: func(try int) bool { return c.refuse(i, try) }}
					s := over(t, o, retry.Tries(100), retry.Elapsed(time.Hour), retry.From(q), retry.Notify(func(r store.Retry) {
						if i >= 1500 && r.Try == 1 {
							waits = append(waits, r.Wait)
						}
					}))
					if _, err := s.Put(t.Context(), "k", nil, store.PutOptions{}); err != nil {
						t.Fatal(err)
					}
				}
				var sum time.Duration
				for _, w := range waits {
					sum += w
				}
				if mean := sum / time.Duration(len(waits)); mean < c.atLeast || mean > c.atMost || q.Cures() != c.cures {
					t.Errorf("%v on average, cures is %t; want %v to %v, %t", mean, q.Cures(), c.atLeast, c.atMost, c.cures)
				}
			})
		})
	}
}

// refusing is a store that refuses some attempts of a Put.
type refusing struct {
	store.Store
	refuse func(try int) bool
	tries  int
}

func (r *refusing) Put(context.Context, string, []byte, store.PutOptions) (store.Version, error) {
	r.tries++
	if r.refuse(r.tries - 1) {
		return "", slow
	}
	return "1", nil
}

// TestQuotaForgetsSilence checks that a request is retried although the last request, long ago, was
// refused as well.
func TestQuotaForgetsSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent, refused := retry.NewQuota(), &fault.KeyError{Op: "put", Key: "k", Kind: fault.Throttled}
		for _, c := range []struct {
			tries int
			after time.Duration
			want  error
		}{{1, 0, refused}, {10, time.Hour, nil}} {
			time.Sleep(c.after)
			n := 0
			s := over(t, puts{mem.New(), func() error {
				if n++; n == 1 {
					return refused
				}
				return nil
			}}, retry.From(silent), retry.Tries(c.tries))
			if _, err := s.Put(t.Context(), "k", nil, store.PutOptions{}); !errors.Is(err, c.want) {
				t.Errorf("after %v: %v after %d attempts", c.after, err, n)
			}
		}
	})
}

// puts is a store whose Puts have the given result.
type puts struct {
	store.Store
	put func() error
}

func (p puts) Put(context.Context, string, []byte, store.PutOptions) (store.Version, error) {
	return "1", p.put()
}
