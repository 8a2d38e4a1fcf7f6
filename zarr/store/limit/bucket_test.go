package limit_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/limit"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/retry"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

// service is a bucket in simulated time.
type service struct {
	*mem.Store
	latency   time.Duration
	refusal   time.Duration // duration of a refusal
	bandwidth float64       // bytes per second of one connection; 0 means no limit
	parallel  int           // requests served concurrently, shared by more requests; 0 means no limit
	rate      float64       // requests per second before refusals; 0 means no limit
	hot       string        // prefix of the keys that the rate applies to
	burst     float64
	doubles   time.Duration // time in which the rate doubles under load
	first     int           // number of attempts of each key that are refused
	lose      float64       // share of requests that are refused at any rate
	after     time.Duration
	hint      func() time.Duration // replaces after
	sized     func(key string) int

	mu               sync.Mutex
	tokens           float64
	at               time.Time
	requests, denied int
	now, most        int
	tries            map[string]int
	chance           *rand.Rand
}

type asks struct {
	error
	after time.Duration
}

func (a asks) RetryAfter() time.Duration { return a.after }
func (a asks) Unwrap() error             { return a.error }

var slowDown = error(&fault.KeyError{Op: "get", Kind: fault.Throttled, Err: errors.New("503 SlowDown")})

// serve takes the time of a request and decides whether to refuse it.
func (s *service) serve(ctx context.Context, key string, bytes int) error {
	s.mu.Lock()
	s.requests++
	s.now++
	s.most = max(s.most, s.now)
	took := s.latency
	if s.bandwidth > 0 {
		took += time.Duration(float64(bytes) / s.bandwidth * 1e9)
	}
	if s.parallel > 0 && s.now > s.parallel {
		took = took * time.Duration(s.now) / time.Duration(s.parallel)
	}
	if s.first > 0 {
		if s.tries == nil {
			s.tries = map[string]int{}
		}
		s.tries[key]++
	}
	refused := s.tries[key] > 0 && s.tries[key] <= s.first || s.loses()
	if s.rate > 0 && strings.HasPrefix(key, s.hot) {
		now := time.Now()
		if s.at.IsZero() {
			s.tokens = s.burst
		} else {
			if s.doubles > 0 {
				s.rate *= math.Exp2(now.Sub(s.at).Seconds() / s.doubles.Seconds())
			}
			s.tokens = min(s.burst, s.tokens+s.rate*now.Sub(s.at).Seconds())
		}
		s.at = now
		if s.tokens < 1 {
			refused = true
		} else {
			s.tokens--
		}
	}
	if refused {
		s.denied++
		took = s.refusal
	}
	s.mu.Unlock()
	err := concurrency.Sleep(ctx, took)
	s.mu.Lock()
	s.now--
	s.mu.Unlock()
	if err == nil && refused {
		after := s.after
		if s.hint != nil {
			after = s.hint()
		}
		err = asks{slowDown, after}
	}
	return err
}

func (s *service) Get(ctx context.Context, key string, _ store.GetOptions, buf []byte) (store.Value, error) {
	n := 1000
	if s.sized != nil {
		n = s.sized(key)
	}
	if err := s.serve(ctx, key, n); err != nil {
		return store.Value{}, err
	}
	return store.Value{Bytes: append(buf, make([]byte, n)...)}, nil
}

func (s *service) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	if err := s.serve(ctx, key, len(b)); err != nil {
		return "", err
	}
	return "1", nil
}

// loses decides whether to refuse a request at random. The decisions are the same in every run. The
// caller holds s.mu.
func (s *service) loses() bool {
	if s.chance == nil {
		s.chance = rand.New(rand.NewPCG(1, 2))
	}
	return s.chance.Float64() < s.lose
}

// get reads n values with as many concurrent tasks as a call of the engine.
func get(t *testing.T, st store.Store, workers, n int) (took time.Duration) {
	t.Helper()
	start := time.Now()
	err := concurrency.EachN(t.Context(), workers, n, func(ctx context.Context, i int) error {
		_, err := st.Get(ctx, strconv.Itoa(i), store.GetOptions{}, nil)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return time.Since(start)
}

func retried(t *testing.T, st store.Store, o ...retry.Option) store.Store {
	t.Helper()
	r, err := retry.New(st, o...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// watch records the size of a bucket's reads every 10 ms until the test ends.
func watch(t *testing.T, b *limit.Bucket) (sizes func() []int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var all []int
	go func() {
		for ctx.Err() == nil {
			n, _ := b.InFlight()
			all = append(all, n)
			_ = concurrency.Sleep(ctx, 10*time.Millisecond)
		}
	}()
	return func() []int {
		cancel()
		synctest.Wait()
		return all
	}
}

const ms = time.Millisecond

// TestConverges checks that services of all kinds are used almost optimally, regardless of their
// refusals, and with few unnecessary requests.
func TestConverges(t *testing.T) {
	for _, c := range []struct {
		name    string
		s       *service
		n       int
		workers int
		optimum time.Duration // computed time of an optimal client
		slower  float64       // maximum ratio to the optimum
		refused float64       // maximum ratio of requests to necessary requests
		size    [2]int        // minimum and maximum at the end
	}{
		{"513 values", &service{latency: 35 * ms}, 513, 130, 175 * ms, 1, 0, [2]int{128, 128}},
		{"500 a second, with a burst", &service{latency: 35 * ms, refusal: 30 * ms, rate: 500, burst: 500}, 2048, 130, 3096 * ms, 1.1, 0.25, [2]int{14, 24}},
		{"500 a second", &service{latency: 35 * ms, refusal: 30 * ms, rate: 500, burst: 50}, 10000, 130, 19900 * ms, 1.05, 0.15, [2]int{14, 24}},
		{"500 a second, refused at once", &service{latency: 35 * ms, refusal: 2 * ms, rate: 500, burst: 50}, 10000, 130, 19900 * ms, 1.3, 0.4, [2]int{6, 30}},
		{"1500 a second", &service{latency: 35 * ms, refusal: 30 * ms, rate: 1500, burst: 150}, 20000, 130, 13233 * ms, 1.1, 0.12, [2]int{45, 66}},
		{"5500 a second, many workers", &service{latency: 35 * ms, refusal: 30 * ms, rate: 5500, burst: 550}, 60000, 400, 10809 * ms, 1.15, 0.12, [2]int{130, 230}},
		{"50 a second", &service{latency: 35 * ms, refusal: 30 * ms, rate: 50, burst: 5}, 1000, 130, 19900 * ms, 1.2, 1, [2]int{2, 4}},
		{"5 % refused whatever the rate", &service{latency: 35 * ms, refusal: 30 * ms, lose: 0.05}, 20000, 130, 5750 * ms, 1.15, 0.07, [2]int{120, 160}},
		{"the first two tries of each refused", &service{latency: 35 * ms, refusal: 30 * ms, first: 2}, 513, 130, 385 * ms, 1.4, 2, [2]int{128, 128}},
		{"the first two tries of many", &service{latency: 35 * ms, refusal: 30 * ms, first: 2}, 20000, 130, 14844 * ms, 1.25, 2, [2]int{128, 128}},
		{"no bound", &service{latency: 35 * ms}, 50000, 400, 6835 * ms, 1.15, 0, [2]int{256, 256}},
		{"latency that rises with requests", &service{latency: 35 * ms, parallel: 100}, 50000, 400, 17500 * ms, 1.01, 0, [2]int{128, 160}},
		{"latency that rises later", &service{latency: 35 * ms, parallel: 180}, 50000, 400, 9722 * ms, 1.05, 0, [2]int{160, 256}},
		{"values of two lengths", &service{latency: 30 * ms, bandwidth: 80e3, sized: func(string) int { return 1 + rand.IntN(2)*4000 }},
			20000, 400, 4297 * ms, 1.25, 0, [2]int{250, 256}},
	} {
		if race.Enabled && c.n > 20_000 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.s.Store = mem.New()
				quota := retry.NewQuota()
				b := limit.NewBucket(limit.BucketOptions{Reads: 128, Writes: 128, Cured: quota.Cures})
				took := get(t, retried(t, limit.New(c.s, limit.Options{Bucket: b}), retry.From(quota)), c.workers, c.n)
				size, _ := b.InFlight()
				slower, refused := float64(took)/float64(c.optimum), float64(c.s.denied)/float64(c.n)
				t.Logf("%v, %.2f times the optimum; %.1f %% refused; %d in flight at the end", took, slower, 100*refused, size)
				if slower > c.slower || refused > c.refused || size < c.size[0] || size > c.size[1] {
					t.Errorf("want at most %v times the optimum and %v refused, %v in flight", c.slower, c.refused, c.size)
				}
			})
		})
	}
}

// TestNear checks that a service on the same machine gets few concurrent requests, and that a
// service that only seemed near soon gets more.
func TestNear(t *testing.T) {
	for _, c := range []struct {
		name    string
		s       *service
		later   time.Duration // latency after the first read
		n       int
		optimum time.Duration // computed time with as many concurrent requests as are useful
		slower  float64       // maximum ratio to the optimum
		size    [2]int        // minimum and maximum at the end
	}{
		{"of two cores", &service{latency: ms / 2, parallel: 2}, ms / 2, 20000, 5 * time.Second, 1.01, [2]int{16, 16}},
		{"of two cores, a few values", &service{latency: ms / 2, parallel: 2}, ms / 2, 160, 40 * ms, 1.2, [2]int{16, 16}},
		{"a cache before a cloud", &service{latency: ms / 2}, 35 * ms, 20000, 5469 * ms, 1.2, [2]int{128, 256}},
		{"a cache before a cloud, a few values", &service{latency: ms / 2}, 35 * ms, 513, 175 * ms, 4, [2]int{16, 64}},
		{"another machine", &service{latency: 2 * ms}, 35 * ms, 513, 175 * ms, 1.05, [2]int{128, 128}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.s.Store = mem.New()
				b := limit.NewBucket(limit.BucketOptions{Reads: 128, Writes: 128})
				st := limit.New(c.s, limit.Options{Bucket: b})
				get(t, st, 1, 1)
				c.s.latency, c.s.most = c.later, 0
				took := get(t, st, 130, c.n)
				size, writes := b.InFlight()
				slower := float64(took) / float64(c.optimum)
				t.Logf("%v, %.2f times the optimum; %d in flight at most, %d at the end", took, slower, c.s.most, size)
				if slower > c.slower || size < c.size[0] || size > c.size[1] || writes != 128 {
					t.Errorf("want at most %v times the optimum, %v in flight, and 128 writes, not %d", c.slower, c.size, writes)
				}
			})
		})
	}
}

// TestEnough checks the number of reads that keep a near service busy. It is unknown for other
// services, and once a request was refused or failed.
func TestEnough(t *testing.T) {
	enough := func(t *testing.T, st store.Store, want int) {
		t.Helper()
		var m store.Measured
		if !store.As(st, &m) || m.Enough != want {
			t.Errorf("%d reads are enough, want %d", m.Enough, want)
		}
	}
	var b *limit.Bucket
	near := func(t *testing.T, more store.Hooks) (*service, store.Store) {
		t.Helper()
		s := &service{Store: mem.New(), latency: ms / 2}
		b = limit.NewBucket(limit.BucketOptions{Reads: 128, Writes: 128})
		st := limit.New(store.Around(s, more), limit.Options{Bucket: b})
		get(t, st, 1, 1)
		enough(t, st, 16+4)
		return s, st
	}
	t.Run("grown", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, st := near(t, store.Hooks{})
			s.latency = 35 * ms
			get(t, st, 130, 20000)
			reads, _ := b.InFlight()
			enough(t, st, reads+reads/4)
			if reads < 128 {
				t.Errorf("%d in flight", reads)
			}
		})
	})
	t.Run("refused", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, st := near(t, store.Hooks{})
			s.lose = 1
			_, _ = st.Get(t.Context(), "k", store.GetOptions{}, nil)
			enough(t, st, 0)
		})
	})
	t.Run("failed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			fails := false
			_, st := near(t, store.Hooks{Before: func(ctx context.Context, _ store.Call) (context.Context, error) {
				if fails {
					return ctx, fault.Newf(fault.Unavailable, "no connection")
				}
				return ctx, nil
			}})
			fails = true
			_, _ = st.Get(t.Context(), "k", store.GetOptions{}, nil)
			enough(t, st, 0)
		})
	})
	t.Run("another machine", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			st := limit.New(&service{Store: mem.New(), latency: 2 * ms}, limit.Options{Bucket: limit.NewBucket(limit.BucketOptions{Reads: 128, Writes: 128})})
			get(t, st, 1, 1)
			enough(t, st, 0)
		})
	})
}

// TestHalvesOnceInAPeriod checks that the size is at most halved, and at most once in 200 ms, even
// if more than half of the requests in flight are refused. If nearly all are refused, a few
// requests determine the capacity of the service.
func TestHalvesOnceInAPeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{Store: mem.New(), latency: 35 * ms, refusal: 40 * ms, rate: 600, burst: 60}
		b := limit.NewBucket(limit.BucketOptions{Reads: 128, Writes: 128})
		sizes := watch(t, b)
		get(t, retried(t, limit.New(s, limit.Options{Bucket: b})), 130, 300)
		all := sizes()
		if all[19] != 64 || all[39] != 32 { // every 10 ms; the first refusal arrives after 40 ms
			t.Errorf("sizes %v", all[:45])
		}
		for i := range all {
			for j := i; j < min(i+19, len(all)); j++ {
				if 2*all[j] < all[i] {
					t.Fatalf("from %d to %d within %d ms", all[i], all[j], 10*(j-i))
				}
			}
		}
	})
}

// TestCeiling checks that the size at which requests were refused is remembered. It is approached
// slowly, and exceeded if the capacity of the service grows.
func TestCeiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{Store: mem.New(), latency: 35 * ms, refusal: 30 * ms, rate: 1000, burst: 100}
		b := limit.NewBucket(limit.BucketOptions{Reads: 128, Writes: 128})
		st := retried(t, limit.New(s, limit.Options{Bucket: b}))
		get(t, st, 130, 3000)
		sizes := watch(t, b)
		get(t, st, 130, 10000)
		for i, n := range sizes() {
			if n > 50 { // the service can handle 35
				t.Fatalf("%d in flight after %d ms", n, 10*i)
			}
		}
		s.mu.Lock()
		s.rate = 0
		s.mu.Unlock()
		start := time.Now()
		for n := 0; n < 128; n, _ = b.InFlight() {
			get(t, st, 130, 1000)
		}
		if took := time.Since(start); took < 2*time.Second || took > 20*time.Second {
			t.Errorf("it took %v until as much was asked for as at first", took)
		}
	})
}

// TestCeilingIsForgotten checks that a ceiling is removed after a minute without refusals, even
// without requests.
func TestCeilingIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{Store: mem.New(), latency: 35 * ms, refusal: 30 * ms, rate: 100, burst: 10}
		b := limit.NewBucket(limit.BucketOptions{Reads: 128, Writes: 128})
		st := retried(t, limit.New(s, limit.Options{Bucket: b}))
		get(t, st, 130, 500)
		if n, _ := b.InFlight(); n > 10 {
			t.Fatalf("%d in flight", n)
		}
		time.Sleep(time.Minute)
		s.rate = 0
		start := time.Now()
		for n := 0; n < 128; n, _ = b.InFlight() {
			get(t, st, 130, 500)
		}
		if took := time.Since(start); took > 4*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// TestRetryAfter checks that a bucket that serves nothing pauses all stores on it if it sends
// Retry-After, that a served request ends the pause, and that only reads pause if reads were
// refused.
func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{Store: mem.New(), latency: 35 * ms, refusal: 5 * ms, rate: 1, burst: 1, after: 3 * time.Second}
		b := limit.NewBucket(limit.BucketOptions{Reads: 8, Writes: 8})
		one, two := limit.New(s, limit.Options{Bucket: b}), limit.New(s, limit.Options{Bucket: b, InFlight: 3})
		var waits []store.Wait
		ctx := store.WithTrace(t.Context(), &store.Trace{Wait: func(_ context.Context, w store.Wait) { waits = append(waits, w) }})
		get := func(st store.Store) error {
			_, err := st.Get(ctx, "k", store.GetOptions{}, nil)
			return err
		}
		refuse := func() {
			s.mu.Lock()
			s.tokens, s.at = -1e6, time.Now()
			s.mu.Unlock()
		}
		if err := get(one); err != nil {
			t.Fatal(err)
		}
		for range 3 { // within 15 ms
			if err := get(one); !errors.Is(err, fault.Throttled) {
				t.Fatal(err)
			}
		}
		if len(waits) != 0 && waits[0].Took > 2*ms {
			t.Errorf("waited %v although the bucket has just served a request", waits)
		}
		refuse()
		time.Sleep(20 * time.Second)
		if err := get(one); !errors.Is(err, fault.Throttled) {
			t.Fatal(err)
		}
		waits = nil
		start := time.Now()
		if err := get(two); !errors.Is(err, fault.Throttled) {
			t.Fatal(err)
		}
		// An eighth of 20 s is less than 3 s.
		if len(waits) != 1 || waits[0].For != store.WaitPause || waits[0].Took < 2490*ms || waits[0].Took > 2510*ms || time.Since(start) != waits[0].Took+5*ms {
			t.Errorf("traced %v in %v", waits, time.Since(start))
		}
		start = time.Now()
		if _, err := one.Put(ctx, "k", nil, store.PutOptions{}); !errors.Is(err, fault.Throttled) || time.Since(start) != 5*ms {
			t.Errorf("a write waits for the reads: %v, %v", err, time.Since(start))
		}
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		start = time.Now()
		if _, err := one.Get(short, "k", store.GetOptions{}, nil); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, fault.Throttled) || time.Since(start) != time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		time.Sleep(time.Minute)
		for range 3 {
			_ = get(one)
		}
		s.mu.Lock()
		s.rate = 0
		s.mu.Unlock()
		_ = get(one) // the pause ends, and the request is served
		start = time.Now()
		if err := get(one); err != nil || time.Since(start) != 35*ms {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// TestPauseEnds checks that a request that is served ends the pause that requests wait for.
func TestPauseEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{Store: mem.New(), latency: 150 * time.Second, lose: 1, after: time.Hour}
		st := limit.New(s, limit.Options{Bucket: limit.NewBucket(limit.BucketOptions{Reads: 8, Writes: 8})})
		get := func() error {
			_, err := st.Get(t.Context(), "k", store.GetOptions{}, nil)
			return err
		}
		_ = get()
		s.mu.Lock()
		s.lose = 0
		s.mu.Unlock()
		var wg sync.WaitGroup
		start := time.Now()
		wg.Go(func() { // served after 150 s
			if err := get(); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		s.mu.Lock()
		s.lose = 1
		s.mu.Unlock()
		time.Sleep(140 * time.Second)
		_ = get() // refused at once; the pause is 17.5 s
		s.mu.Lock()
		s.lose, s.latency = 0, 0
		s.mu.Unlock()
		if err := get(); err != nil || time.Since(start) > 151*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		wg.Wait()
	})
}

// TestRetryAfterIsBounded checks that a requested pause of hours does not stop a store for hours.
func TestRetryAfterIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{Store: mem.New(), latency: ms, lose: 1, after: 18 * time.Hour}
		st := limit.New(s, limit.Options{Bucket: limit.NewBucket(limit.BucketOptions{Reads: 8, Writes: 8})})
		_, _ = st.Get(t.Context(), "k", store.GetOptions{}, nil)
		time.Sleep(3*time.Minute - ms)
		start := time.Now()
		for range 2 {
			if _, err := st.Get(t.Context(), "k", store.GetOptions{}, nil); !errors.Is(err, fault.Throttled) {
				t.Error(err)
			}
		}
		if took := time.Since(start); took < 22499*ms || took > 22500*ms {
			t.Errorf("%v", took)
		}
	})
}

type oneKey struct{ error }

func (oneKey) OneKey() bool              { return true }
func (oneKey) RetryAfter() time.Duration { return time.Second }
func (o oneKey) Unwrap() error           { return o.error }

type busyKey struct{ *mem.Store }

func (busyKey) Put(context.Context, string, []byte, store.PutOptions) (store.Version, error) {
	return "", oneKey{slowDown}
}

// TestOneKey checks that a refusal because one key is changed too often does not slow the bucket.
func TestOneKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := limit.NewBucket(limit.BucketOptions{Reads: 8, Writes: 8})
		st := limit.New(busyKey{mem.New()}, limit.Options{Bucket: b})
		start := time.Now()
		for range 100 {
			_, _ = st.Put(t.Context(), "k", nil, store.PutOptions{})
		}
		if _, n := b.InFlight(); n != 8 || time.Since(start) != 0 {
			t.Errorf("%d writes in flight, waited %v", n, time.Since(start))
		}
	})
}

// TestShareAndApart checks that two stores on a bucket share its slots, that reads and writes have
// separate slots, and that refused writes do not slow reads.
func TestShareAndApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r concurrency.Registry
		bucket := func() *limit.Bucket {
			return concurrency.Share(&r, "s3://b", func() *limit.Bucket { return limit.NewBucket(limit.BucketOptions{Reads: 16, Writes: 16, Most: 16}) })
		}
		s := &service{Store: mem.New(), latency: 20 * ms}
		one, two := limit.New(s, limit.Options{Bucket: bucket()}), limit.New(s, limit.Options{Bucket: bucket()})
		var wg sync.WaitGroup
		start := time.Now()
		for _, st := range []store.Store{one, two} {
			wg.Go(func() { get(t, st, 100, 800) })
		}
		wg.Wait()
		if s.most != 16 || time.Since(start) != 2*time.Second {
			t.Errorf("%d at once, %v", s.most, time.Since(start))
		}
		w := &service{Store: mem.New(), latency: 20 * ms, lose: 1}
		refusing := limit.New(w, limit.Options{Bucket: bucket()})
		for range 200 {
			_, _ = refusing.Put(t.Context(), "k", nil, store.PutOptions{})
			time.Sleep(10 * ms)
		}
		if reads, writes := bucket().InFlight(); reads != 16 || writes != 2 {
			t.Errorf("%d reads, %d writes", reads, writes)
		}
	})
}

// TestFixed checks that a number of requests set by the user does not adapt, and applies only to
// its store.
func TestFixed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{Store: mem.New(), latency: 35 * ms, refusal: 30 * ms, rate: 100, burst: 10}
		b := limit.NewBucket(limit.BucketOptions{Reads: 128, Writes: 128, WriteRate: 1})
		st := retried(t, limit.New(s, limit.Options{Bucket: b, InFlight: 40}))
		get(t, st, 130, 200)
		s.rate, s.most = 0, 0
		get(t, st, 130, 400)
		if n, _ := b.InFlight(); n != 128 || s.most != 40 {
			t.Errorf("%d of the bucket, %d were in flight", n, s.most)
		}
		start := time.Now()
		for range 10 {
			if _, err := st.Put(t.Context(), "k", nil, store.PutOptions{}); err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(start); took != 350*ms {
			t.Errorf("writes waited for a ramp: %v", took)
		}
	})
}

// TestNoStarvation checks that a request to a store that others use continuously gets its turn.
func TestNoStarvation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{Store: mem.New(), latency: 35 * ms, refusal: 30 * ms, rate: 500, burst: 50}
		b := limit.NewBucket(limit.BucketOptions{Reads: 128, Writes: 128})
		greedy, modest := retried(t, limit.New(s, limit.Options{Bucket: b})), limit.New(s, limit.Options{Bucket: b})
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 300 {
			wg.Go(func() {
				for ctx.Err() == nil {
					_, _ = greedy.Get(ctx, "k", store.GetOptions{}, nil)
				}
			})
		}
		time.Sleep(5 * time.Second)
		for range 10 {
			start := time.Now()
			_, _ = modest.Get(ctx, "k", store.GetOptions{}, nil)
			if took := time.Since(start); took > 2*time.Second {
				t.Errorf("a request took %v", took)
			}
		}
		cancel()
		wg.Wait()
	})
}

// TestRamp checks that writes start with few requests in flight and a limited rate. Both grow with
// time under load.
func TestRamp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{Store: mem.New(), latency: 10 * ms}
		b := limit.NewBucket(limit.BucketOptions{Reads: 128, Writes: 8, WriteRate: 100})
		st := limit.New(s, limit.Options{Bucket: b})
		put := func(n int) time.Duration {
			start := time.Now()
			err := concurrency.EachN(t.Context(), 200, n, func(ctx context.Context, i int) error {
				_, err := st.Put(ctx, "k", nil, store.PutOptions{})
				return err
			})
			if err != nil {
				t.Error(err)
			}
			return time.Since(start)
		}
		put(8)
		if s.most != 8 {
			t.Errorf("%d at once at first", s.most)
		}
		// The requests of one second start immediately.
		if took := put(500); took < 3900*ms || took > 5100*ms {
			t.Errorf("500 writes took %v", took)
		}
		if _, n := b.InFlight(); n < 16 {
			t.Errorf("%d at once in the end", n)
		}
		put(170_000)
		// The rate is twice as high after 20 minutes.
		if took := put(1000); took > 5600*ms || took < 4*time.Second {
			t.Errorf("1000 writes took %v after 20 minutes", took)
		}
		time.Sleep(time.Hour)
		if took := put(500); took < 3900*ms {
			t.Errorf("500 writes took %v after a rest", took)
		}
		start := time.Now()
		if get(t, st, 130, 1280); time.Since(start) > 110*ms {
			t.Errorf("reads took %v", time.Since(start))
		}
	})
}

func TestMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int64
		s := &service{Store: mem.New(), latency: 30 * ms, bandwidth: 80e3, sized: func(string) int { return int(n.Add(1)%5) * 1000 }}
		b := limit.NewBucket(limit.BucketOptions{Reads: 16, Writes: 16})
		st := retried(t, limit.New(s, limit.Options{Bucket: b}))
		var m store.Measured
		if store.As(st, &m) {
			t.Error("measured without a request")
		}
		get(t, st, 1, 2) // of 1000 and 2000 bytes
		if !store.As(st, &m) || m.Latency < 48*ms || m.Latency > 49*ms || m.Bandwidth != 0 || m.Free != 16 {
			t.Errorf("after two reads: %+v", m)
		}
		get(t, st, 4, 100)
		if !store.As(st, &m) {
			t.Fatal("nothing was measured")
		}
		if m.Latency < 29*ms || m.Latency > 31*ms || m.Bandwidth < 79e3 || m.Bandwidth > 81e3 || m.Free != 16 {
			t.Errorf("%+v", m)
		}
		if took := m.Took(8e3); took < 125*ms || took > 135*ms {
			t.Errorf("8 kB are expected to take %v", took)
		}
		s.latency = 10 * time.Second // a stalled request
		get(t, st, 1, 1)
		s.latency = 30 * ms
		get(t, st, 4, 20)
		if store.As(st, &m); m.Took(2e3) > 75*ms {
			t.Errorf("one request changed the measure: %+v", m)
		}
		s.latency = 60 * ms
		get(t, st, 4, 1000)
		if store.As(st, &m); m.Latency < 58*ms || m.Latency > 62*ms {
			t.Errorf("%+v, with 60 ms", m)
		}
	})
}

// tuned is a store with a Tuning.
type tuned struct{ *service }

func (tuned) Provide(target any) bool {
	if t, ok := target.(*store.Tuning); ok {
		*t = store.Tuning{Requests: 128}
		return true
	}
	return false
}

// TestTuningGrows checks that later calls use the increased number of requests, and never fewer
// than the initial number.
func TestTuningGrows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := tuned{&service{Store: mem.New(), latency: 35 * ms}}
		st := retried(t, limit.New(s, limit.Options{Bucket: limit.NewBucket(limit.BucketOptions{Reads: 128, Writes: 128})}))
		if n := store.TuningOf(st).Requests; n != 128 {
			t.Errorf("%d at first", n)
		}
		for range 20 { // a call has slightly more tasks than requests
			get(t, st, store.TuningOf(st).Requests+4, 3000)
		}
		if n := store.TuningOf(st).Requests; n < 200 {
			t.Errorf("%d requests", n)
		}
		s.rate, s.burst = 100, 1
		get(t, st, 130, 300)
		if n := store.TuningOf(st).Requests; n != 128 {
			t.Errorf("%d requests of a service that refuses", n)
		}
		if n := store.TuningOf(limit.New(s, limit.Options{Bucket: limit.NewBucket(limit.BucketOptions{Reads: 1, Writes: 1}), InFlight: 7})).Requests; n != 128 {
			t.Errorf("a fixed number: %d", n)
		}
	})
}

// TestClock checks that the size tolerates a clock that is set back or jumps.
func TestClock(t *testing.T) {
	b := limit.NewBucket(limit.BucketOptions{Reads: 16, Writes: 16, ReadRate: 1000})
	use := func(t *testing.T) {
		s := &service{Store: mem.New(), latency: ms, refusal: ms, rate: 100, burst: 1, after: 10 * time.Second}
		start := time.Now()
		_, _ = limit.New(s, limit.Options{Bucket: b}).Get(t.Context(), "k", store.GetOptions{}, nil)
		_, _ = limit.New(s, limit.Options{Bucket: b}).Get(t.Context(), "k", store.GetOptions{}, nil)
		_, _ = limit.New(s, limit.Options{Bucket: b}).Get(t.Context(), "k", store.GetOptions{}, nil)
		if took := time.Since(start); took > 2*time.Minute {
			t.Errorf("waited %v", took)
		}
	}
	synctest.Test(t, func(t *testing.T) { time.Sleep(100 * time.Hour); use(t) })
	synctest.Test(t, use) // a hundred hours earlier
}

// TestBucketConforms runs with one slot of each kind, which detects code that takes a second slot
// while it holds the first.
func TestBucketConforms(t *testing.T) {
	for name, base := range bases() {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T) store.Store {
				return retried(t, limit.New(base(t), limit.Options{Bucket: limit.NewBucket(limit.BucketOptions{Reads: 1, Writes: 1, Most: 1})}))
			}, storetest.Keys(100), storetest.Rounds(3))
		})
	}
}

// TestBucketUnderLoad makes requests from many goroutines, with refusals and pauses, for the race
// detector.
func TestBucketUnderLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{Store: mem.New(), lose: 0.3}
		b := limit.NewBucket(limit.BucketOptions{Reads: 16, Writes: 4, ReadRate: 1e9, WriteRate: 1e9})
		one, two := limit.New(s, limit.Options{Bucket: b}), limit.New(s, limit.Options{Bucket: b, InFlight: 3})
		err := concurrency.EachN(t.Context(), 64, 4000, func(ctx context.Context, i int) error {
			st := one
			if i%3 == 0 {
				st = two
			}
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			if i%7 == 0 {
				cancel()
			}
			if i%2 == 0 {
				_, _ = st.Put(ctx, "k", nil, store.PutOptions{})
				return nil
			}
			_, _ = st.Get(ctx, "k", store.GetOptions{}, nil)
			var m store.Measured
			store.As(st, &m)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		b.Idle(t)
	})
}
