package limit_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/limit"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// TestHotPrefix checks that a job on one prefix is hardly slowed by another job of the process on a
// prefix whose requests the service refuses.
func TestHotPrefix(t *testing.T) {
	for _, k := range []struct {
		rate  float64
		procs int
		hot   string
		cold  string
		after time.Duration
	}{
		{100, 1, "hot/", "cold/", 0},
		{1000, 1, "hot/", "cold/", 0},
		{100, 10, "hot/", "cold/", 0},
		{100, 1, "data/today/c/0/", "data/archive/c/0/", time.Minute},
		{10, 1, "hot/", "cold/", time.Minute},
	} {
		if race.Enabled && k.procs > 1 {
			continue
		}
		t.Run(fmt.Sprintf("%v a second, %d processes, %s", k.rate, k.procs, k.hot), func(t *testing.T) {
			run := func(beside bool) (took time.Duration, asked float64) {
				synctest.Test(t, func(t *testing.T) {
					s := &service{Store: mem.New(), latency: 35 * ms, refusal: 30 * ms, rate: k.rate, burst: k.rate / 10, hot: k.hot, after: k.after}
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					var cold, hot sync.WaitGroup
					var mu sync.Mutex
					served := 0
					for range k.procs {
						quota := retry.NewQuota()
						st := retried(t, limit.New(s, limit.Options{Bucket: limit.NewBucket(limit.BucketOptions{Reads: 128, Writes: 128, Cured: quota.Cures})}), retry.From(quota))
						read := func(wg *sync.WaitGroup, dir string, n int) {
							wg.Go(func() {
								_ = concurrency.EachN(ctx, 130, n, func(ctx context.Context, i int) error {
									_, err := st.Get(ctx, dir+strconv.Itoa(i), store.GetOptions{}, nil)
									if err != nil && ctx.Err() == nil {
										t.Error(err)
									}
									mu.Lock()
									defer mu.Unlock()
									if err == nil && wg == &hot {
										served++
									}
									return nil
								})
							})
						}
						if beside {
							read(&hot, k.hot, 1_000_000)
						}
						read(&cold, k.cold, 20_000)
					}
					start := time.Now()
					cold.Wait()
					took = time.Since(start)
					cancel()
					hot.Wait()
					if beside {
						asked = float64(s.denied+served) / float64(served)
					}
					t.Logf("beside %v: %v, hot: %d served in %.1f s, %.2f requests to one that is served", beside, took, served, took.Seconds(), asked)
				})
				return took, asked
			}
			alone, _ := run(false)
			beside, _ := run(true)
			if slower := float64(beside) / float64(alone); slower > 1.3 {
				t.Errorf("%v, %.2f times as long as alone", beside, slower)
			}
		})
	}
}

// TestOneLimitOfPrefixes checks that a limit that all directories share is used fully, although
// chance or the order of requests may give some of them limits of their own.
func TestOneLimitOfPrefixes(t *testing.T) {
	for _, k := range []struct{ procs, dirs, rows int }{{1, 2, 1}, {1, 2, 64}, {1, 100, 50}, {10, 2, 1}, {10, 100, 20}, {50, 3, 1}, {50, 100, 10}} {
		if race.Enabled && k.procs > 1 {
			continue
		}
		for _, rate := range []float64{500, 5500} {
			t.Run(fmt.Sprintf("%d processes, %d directories, rows of %d, %v a second", k.procs, k.dirs, k.rows, rate), func(t *testing.T) {
				t.Parallel()
				n := max(300, int(10*rate)/k.procs)
				fleet{procs: k.procs, n: n, dirs: k.dirs, rows: k.rows, numbers: clouds}.check(t, 1.2, func() *service {
					return &service{rate: rate, burst: rate / 10}
				})
			})
		}
	}
}

// TestPrefixesAreCured checks that a service that refuses the first two attempts of each request is
// used as fully in many directories as in one. The directories that a process begins are refused
// more often than those that it has begun before.
func TestPrefixesAreCured(t *testing.T) {
	took := func(dirs int) (d time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			s := &service{Store: mem.New(), latency: 35 * ms, refusal: 30 * ms, first: 2}
			o := fleet{procs: 1, n: 20_000, dirs: dirs, rows: 200, numbers: clouds}.run(t, s)
			if len(o.failed) > 0 {
				t.Errorf("%d failed, one of them: %v", len(o.failed), o.failed[0])
			}
			d = o.took
		})
		return d
	}
	one, many := took(1), took(100)
	t.Logf("%v in one directory, %v in 100", one, many)
	if many > one*11/10 {
		t.Errorf("%v in one directory, %v in 100", one, many)
	}
}

// TestPrefixJoins checks that a directory has limits of its own only while the service refuses its
// requests, that the limits together do not exceed the maximum, and that stores with different
// prefixes are distinguished.
func TestPrefixJoins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{Store: mem.New(), latency: 35 * ms, refusal: 30 * ms, rate: 1000, burst: 100, hot: "hot/"}
		b := limit.NewBucket(limit.BucketOptions{Reads: 128, Writes: 128})
		hot := retried(t, limit.New(below{s, "hot/"}, limit.Options{Bucket: b}))
		cold := retried(t, limit.New(below{s, "cold/"}, limit.Options{Bucket: b}))
		both := func(n int) {
			var wg sync.WaitGroup
			for _, st := range []store.Store{hot, cold} {
				wg.Go(func() { get(t, st, 130, n) })
			}
			wg.Wait()
		}
		both(20_000)
		v := b.State()
		if len(v.Prefixes) != 1 || v.Prefixes[0].Name != "hot/" || v.Prefixes[0].Writes || v.Prefixes[0].Refused == 0 {
			t.Fatalf("%+v", v)
		}
		if n := v.Prefixes[0].Size; n < 20 || n > 64 || v.Reads.Size < 100 || n+v.Reads.Size > 256 {
			t.Errorf("%d in flight below the prefix, and %d of the others", n, v.Reads.Size)
		}
		s.mu.Lock()
		s.rate = 0
		s.mu.Unlock()
		for range 65 {
			get(t, hot, 1, 1)
			time.Sleep(time.Second)
		}
		if v := b.State(); v.Prefixes != nil {
			t.Errorf("after a minute without refusals: %+v", v)
		}
		s.most = 0
		both(20_000)
		if v := b.State(); s.most > 256 || v.Prefixes != nil || v.Reads.Size < 128 {
			t.Errorf("%d at the same time; %+v", s.most, v)
		}
		b.Idle(t)
	})
}

// below is a service for a store with a prefix.
type below struct {
	*service
	prefix string
}

func (b below) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	return b.service.Get(ctx, b.prefix+key, o, buf)
}

func (b below) Provide(target any) bool {
	p, ok := target.(*store.Place)
	if ok {
		*p = store.Place{Root: b.service, Below: b.prefix}
	}
	return ok
}

// TestPrefixWrites checks that the writes below a hot prefix respect the ramp of the bucket.
func TestPrefixWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{Store: mem.New(), latency: 35 * ms, refusal: 30 * ms, rate: 20, burst: 2, hot: "hot/"}
		b := limit.NewBucket(limit.BucketOptions{Reads: 128, Writes: 32, WriteRate: 200})
		st := retried(t, limit.New(s, limit.Options{Bucket: b}))
		start := time.Now()
		var wg sync.WaitGroup
		for _, dir := range []string{"hot/", "cold/"} {
			wg.Go(func() {
				err := concurrency.EachN(t.Context(), 130, 1000, func(ctx context.Context, i int) error {
					_, err := st.Put(ctx, dir+strconv.Itoa(i), nil, store.PutOptions{})
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		took := time.Since(start)
		if v := b.State().Prefixes; len(v) != 1 || !v[0].Writes || v[0].Name != "hot/" {
			t.Errorf("%+v", v)
		}
		if limited := float64(s.requests) / took.Seconds(); limited > 200 || took > time.Minute {
			t.Errorf("%.0f requests a second for %v", limited, took)
		}
	})
}

// TestPrefixUnderLoad splits and joins while many goroutines make requests, for the race detector.
func TestPrefixUnderLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{Store: mem.New(), latency: ms, refusal: ms, rate: 1000, burst: 10, hot: "hot/"}
		b := limit.NewBucket(limit.BucketOptions{Reads: 64, Writes: 64})
		st := retried(t, limit.New(s, limit.Options{Bucket: b}))
		for range 3 {
			var wg sync.WaitGroup
			for _, dir := range []string{"hot/", "cold/", "other/"} {
				wg.Go(func() {
					_ = concurrency.EachN(t.Context(), 64, 2000, func(ctx context.Context, i int) error {
						ctx, cancel := context.WithTimeout(ctx, time.Duration(1+i%7)*10*ms)
						defer cancel()
						_, _ = st.Get(ctx, dir+strconv.Itoa(i), store.GetOptions{}, nil)
						b.State()
						return nil
					})
				})
			}
			wg.Wait()
			b.Idle(t)
			time.Sleep(2 * time.Minute)
		}
	})
}

// TestPrefixBacklog checks that thousands of requests that wait, because the service refuses nearly
// all or many requests of their prefix, do not block a job on another prefix. Of its requests 2 %
// are refused. None fails, and the quota of retries is not exhausted.
func TestPrefixBacklog(t *testing.T) {
	for _, k := range []struct {
		rate    float64       // requests per second below the hot prefix
		workers int           // of the other job
		after   time.Duration // time at which the other job starts
	}{
		{0.001, 8, 0},
		{0.001, 1, time.Minute},
		{100, 8, 0},
		{100, 1, time.Minute},
		{1000, 8, time.Minute},
	} {
		t.Run(fmt.Sprintf("%v a second, %d workers after %v", k.rate, k.workers, k.after), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &service{Store: mem.New(), latency: 35 * ms, refusal: 30 * ms, rate: k.rate, burst: k.rate / 10, hot: "hot/"}
				quota := retry.NewQuota()
				st := retried(t, limit.New(&unlucky{service: s}, limit.Options{Bucket: limit.NewBucket(limit.BucketOptions{Reads: 128, Writes: 128, Cured: quota.Cures})}), retry.From(quota))
				ctx, cancel := context.WithCancel(t.Context())
				var hot sync.WaitGroup
				for i := range 2000 {
					hot.Go(func() {
						for ctx.Err() == nil {
							_, _ = st.Get(ctx, "hot/"+strconv.Itoa(i), store.GetOptions{}, nil)
						}
					})
				}
				time.Sleep(k.after)
				var mu sync.Mutex
				start, left := time.Now(), quota.Left()
				const n = 1000
				err := concurrency.EachN(t.Context(), k.workers, n, func(ctx context.Context, i int) error {
					_, err := st.Get(ctx, "cold/"+strconv.Itoa(i), store.GetOptions{}, nil)
					mu.Lock()
					defer mu.Unlock()
					left = min(left, quota.Left())
					return err
				})
				took := time.Since(start)
				cancel()
				hot.Wait()
				t.Logf("%v, %d retries left", took, left)
				if alone := n / time.Duration(k.workers) * s.latency; err != nil || left < 100 || took > 2*alone+20*time.Second {
					t.Errorf("%v, %v alone; %v", took, alone, err)
				}
			})
		})
	}
}

// unlucky is a service that refuses each fiftieth request below cold/.
type unlucky struct {
	*service
	n atomic.Int64
}

func (u *unlucky) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if strings.HasPrefix(key, "cold/") && u.n.Add(1)%50 == 0 {
		return store.Value{}, errors.Join(concurrency.Sleep(ctx, 30*ms), slowDown)
	}
	return u.service.Get(ctx, key, o, buf)
}
