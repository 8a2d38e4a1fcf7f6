package limit_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"sync"
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
)

// fleet is a number of processes that use one bucket without knowledge of each other.
type fleet struct {
	procs, n int  // number of processes, and number of requests of each
	told     bool // set if each process knows the number of processes
	writes   bool
	dirs     int // number of directories that the keys of a process are in, in turn; 0 means 1
	rows     int // number of consecutive keys in one directory; 0 means 1
	numbers  limit.BucketOptions
}

// outcome is the result of a fleet.
type outcome struct {
	took, median time.Duration // duration of all requests; median duration of a process
	failed       []error
}

// run makes the requests of all processes, from as many goroutines as a call of the engine has.
func (f fleet) run(t *testing.T, s store.Store) (o outcome) {
	t.Helper()
	var mu sync.Mutex
	var took []time.Duration
	var wg sync.WaitGroup
	start := time.Now()
	for p := range f.procs {
		wg.Go(func() {
			quota := retry.NewQuota()
			n := f.numbers
			n.Cured = quota.Cures
			if f.told {
				n.Share = f.procs
			}
			st := retried(t, limit.New(s, limit.Options{Bucket: limit.NewBucket(n)}), retry.From(quota))
			_ = concurrency.EachN(t.Context(), 130, f.n, func(ctx context.Context, i int) (err error) {
				key := strconv.Itoa(p) + "/" + strconv.Itoa(i)
				if f.dirs > 0 {
					key = strconv.Itoa(i/max(1, f.rows)%f.dirs) + "/" + key
				}
				if f.writes {
					_, err = st.Put(ctx, key, nil, store.PutOptions{})
				} else {
					_, err = st.Get(ctx, key, store.GetOptions{}, nil)
				}
				if err != nil {
					mu.Lock()
					o.failed = append(o.failed, err)
					mu.Unlock()
				}
				return nil
			})
			mu.Lock()
			took = append(took, time.Since(start))
			mu.Unlock()
		})
	}
	wg.Wait()
	o.took = time.Since(start)
	slices.Sort(took)
	o.median = took[len(took)/2]
	return o
}

// The initial numbers of the providers' buckets.
var (
	clouds = limit.BucketOptions{Reads: 128, Writes: 128}
	google = limit.BucketOptions{Reads: 128, Writes: 32, ReadRate: 5000, WriteRate: 1000}
)

var whole = flag.Bool("whole", false, "TestFleets: 1000 requests of each process, all variants")

// TestFleets checks fleets of any number of processes, which know the number or not. No request
// fails, the service is busy, and few unnecessary requests are sent.
func TestFleets(t *testing.T) {
	for _, k := range []struct {
		name    string
		rate    float64
		doubles time.Duration // time in which the rate doubles under load
		writes  bool
		numbers limit.BucketOptions
	}{
		{"500 reads a second", 500, 0, false, clouds},
		{"5500 reads a second", 5500, 0, false, clouds},
		{"3500 writes a second", 3500, 0, true, clouds},
		{"1000 writes a second, growing", 1000, 20 * time.Minute, true, google},
	} {
		for _, procs := range []int{1, 10, 50, 100, 300} {
			for _, told := range []bool{false, true} {
				least := 300 // includes the first requests in flight
				if *whole {
					least = 1000
				}
				n := max(least, int(10*k.rate)/procs) // 10 s of work, including the start
				if !*whole {
					if told && procs != 10 && (procs != 300 || k.rate > 1000) || race.Enabled && (procs > 10 || k.rate > 1000) {
						continue
					}
				}
				t.Run(fmt.Sprintf("%s, %d processes, told %t", k.name, procs, told), func(t *testing.T) {
					t.Parallel()
					fleet{procs: procs, n: n, told: told, writes: k.writes, numbers: k.numbers}.check(t, 1.2, func() *service {
						return &service{rate: k.rate, burst: k.rate / 10, doubles: k.doubles}
					})
				})
			}
		}
	}
}

// check runs the fleet and checks that no request fails, that the fleet takes at most slower times
// the optimum, and that it sends at most 2.5 requests for each needed one. The waits between
// retries are random: 10 of 944 fleets took more than 1.2 times the optimum, at most 1.39. Such a
// fleet is run twice more, and the median is checked.
func (f fleet) check(t *testing.T, slower float64, of func() *service) {
	t.Helper()
	var all []float64
	for len(all) == 0 || len(all) < 3 && slices.Max(all) > slower {
		synctest.Test(t, func(t *testing.T) {
			s := of()
			s.Store, s.latency, s.refusal = mem.New(), 35*ms, 30*ms
			rate := s.rate
			o := f.run(t, s)
			needed := float64(f.procs * f.n)
			// One process has at most 128 requests in flight at first.
			optimum := float64(f.n) * s.latency.Seconds() / 128
			if rate > 0 {
				optimum = max(optimum, needed/rate)
			}
			took, asked := o.took.Seconds()/optimum, float64(s.requests)/needed
			all = append(all, took)
			t.Logf("%d requests each: %v, %.2f times the optimum, half of the processes at %.2f; %.2f requests to one that is needed; %d failed",
				f.n, o.took.Round(ms), took, o.median.Seconds()/optimum, asked, len(o.failed))
			if len(o.failed) > 0 {
				t.Errorf("one of those that failed: %v", o.failed[0])
			}
			if took > slower+0.3 || asked > 2.5 {
				t.Errorf("want at most %v times the optimum and 2.5 requests to one that is needed", slower+0.3)
			}
		})
		if t.Failed() {
			return
		}
	}
	slices.Sort(all)
	if all[len(all)/2] > slower {
		t.Errorf("%.2f times the optimum, want at most %v in the median", all, slower)
	}
}

// TestRefusedLater checks that a healthy service that starts to refuse the first attempts of each
// request is not mistaken for an overloaded one and slowed for minutes.
func TestRefusedLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{Store: mem.New(), latency: 35 * ms, refusal: 30 * ms}
		quota := retry.NewQuota()
		st := retried(t, limit.New(s, limit.Options{Bucket: limit.NewBucket(limit.BucketOptions{Reads: 128, Writes: 128, Cured: quota.Cures})}), retry.From(quota))
		get(t, st, 130, 5000)
		s.mu.Lock()
		s.first = 2
		s.mu.Unlock()
		// 16 times 128 in flight with three attempts each take 1.6 s.
		if took := get(t, st, 130, 2000); took > 4*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// TestRefusedWhilePaced checks that a client that an overloaded service has slowed detects that the
// service now refuses the first two attempts of each request at any rate.
func TestRefusedWhilePaced(t *testing.T) {
	for _, rate := range []float64{2, 10, 50} {
		synctest.Test(t, func(t *testing.T) {
			s := &service{Store: mem.New(), latency: 35 * ms, refusal: 30 * ms, rate: rate, burst: 1}
			quota := retry.NewQuota()
			st := retried(t, limit.New(s, limit.Options{Bucket: limit.NewBucket(limit.BucketOptions{Reads: 128, Writes: 128, Cured: quota.Cures})}), retry.From(quota))
			get(t, st, 130, int(100*rate))
			s.mu.Lock()
			s.rate, s.first = 0, 2
			s.mu.Unlock()
			// At 2 per second, 24 responses take 12 s.
			if took := get(t, st, 130, 2000); took > 45*time.Second {
				t.Errorf("%v a second before: it took %v", rate, took)
			}
		})
	}
}

// TestRecovers checks that a service that a fleet had overloaded and that is now idle is fully used
// again within seconds.
func TestRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{Store: mem.New(), latency: 35 * ms, refusal: 30 * ms, rate: 2, burst: 1}
		quota := retry.NewQuota()
		b := limit.NewBucket(limit.BucketOptions{Reads: 128, Writes: 128, Cured: quota.Cures})
		st := retried(t, limit.New(s, limit.Options{Bucket: b}), retry.From(quota))
		get(t, st, 130, 200)
		s.mu.Lock()
		s.rate = 0
		s.mu.Unlock()
		start := time.Now()
		for n := 0; n < 64; n, _ = b.InFlight() {
			get(t, st, 130, 200)
		}
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// TestRefusedForGood checks that requests fail within the documented time if the service refuses
// all requests, or serves others but never this one.
func TestRefusedForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{Store: mem.New(), latency: 35 * ms, refusal: 30 * ms, lose: 1}
		quota := retry.NewQuota()
		st := retried(t, limit.New(s, limit.Options{Bucket: limit.NewBucket(limit.BucketOptions{Reads: 128, Writes: 128, Cured: quota.Cures})}), retry.From(quota))
		var mu sync.Mutex
		start, failed, first := time.Now(), 0, time.Duration(0)
		_ = concurrency.EachN(t.Context(), 130, 130, func(ctx context.Context, i int) error {
			if _, err := st.Get(ctx, strconv.Itoa(i), store.GetOptions{}, nil); errors.Is(err, fault.Throttled) {
				mu.Lock()
				defer mu.Unlock()
				if failed++; failed == 1 {
					first = time.Since(start)
				}
			}
			return nil
		})
		// The first error ends a call. Other waiting requests have one attempt too, because the
		// service may have recovered.
		if took := time.Since(start); failed != 130 || first > 3*time.Minute+10*time.Second || took > 6*time.Minute || s.requests > 130*10 {
			t.Errorf("%d failed, the first after %v and the last after %v; %d requests", failed, first, took, s.requests)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		s := &service{Store: mem.New(), latency: 35 * ms, refusal: 30 * ms}
		quota := retry.NewQuota()
		st := retried(t, limit.New(never{s}, limit.Options{Bucket: limit.NewBucket(limit.BucketOptions{Reads: 128, Writes: 128, Cured: quota.Cures})}), retry.From(quota))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			for ctx.Err() == nil {
				_, _ = st.Get(ctx, "served", store.GetOptions{}, nil)
				_ = concurrency.Sleep(ctx, 100*ms)
			}
		}()
		start := time.Now()
		_, err := st.Get(ctx, "never", store.GetOptions{}, nil)
		if took := time.Since(start); !errors.Is(err, fault.Throttled) || took < 2*time.Minute || took > 4*time.Minute {
			t.Errorf("%v after %v", err, took)
		}
		short, stop := context.WithTimeout(ctx, 10*time.Second)
		defer stop()
		start = time.Now()
		if _, err := st.Get(short, "never", store.GetOptions{}, nil); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 10*time.Second {
			t.Errorf("%v after %v, with a deadline of 10 s", err, time.Since(start))
		}
		cancel()
		<-done
	})
}

// never is a service that always refuses one key.
type never struct{ *service }

func (n never) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if key == "never" {
		return store.Value{}, slowDown
	}
	return n.service.Get(ctx, key, o, buf)
}

// TestRepeatsGoFirst checks that retries get slots before first attempts.
func TestRepeatsGoFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{Store: mem.New(), latency: time.Second}
		st := limit.New(s, limit.Options{Bucket: limit.NewBucket(limit.BucketOptions{Reads: 1, Writes: 1, Most: 1})})
		var mu sync.Mutex
		var order []string
		var wg sync.WaitGroup
		ask := func(key string, try int) {
			wg.Go(func() {
				ctx := t.Context()
				repeat := &store.Repeat{Try: try}
				if try > 0 {
					ctx = store.WithRepeat(ctx, repeat)
				}
				_, _ = st.Get(ctx, key, store.GetOptions{}, nil)
				mu.Lock()
				order = append(order, key)
				mu.Unlock()
				if key == "third" && repeat.Held() != 1*time.Second {
					t.Errorf("it was kept back for %v", repeat.Held())
				}
			})
			synctest.Wait()
		}
		ask("under way", 0)
		ask("first", 0)
		ask("second", 1)
		ask("third", 2)
		wg.Wait()
		if want := []string{"under way", "third", "second", "first"}; !slices.Equal(order, want) {
			t.Errorf("got %q", order)
		}
	})
}

// TestRates checks that the total rate of all processes is the requested rate, and that no time is
// lost.
func TestRates(t *testing.T) {
	for _, c := range []struct {
		name    string
		numbers limit.BucketOptions
		procs   int
		fixed   int
		n       int // number of requests of each process, of 1000 bytes each
		took    time.Duration
	}{
		{"requests", limit.BucketOptions{RequestRate: 100}, 1, 0, 1000, 10 * time.Second},
		{"requests, with slots of one's own", limit.BucketOptions{RequestRate: 100}, 1, 16, 1000, 10 * time.Second},
		{"bytes", limit.BucketOptions{ByteRate: 50e3}, 1, 0, 1000, 20 * time.Second},
		{"requests of four processes", limit.BucketOptions{RequestRate: 100, Share: 4}, 4, 0, 250, 10 * time.Second},
		{"bytes of four processes", limit.BucketOptions{ByteRate: 50e3, Share: 4}, 4, 0, 250, 20 * time.Second},
	} {
		for _, writes := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, writes %t", c.name, writes), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := &service{Store: mem.New(), latency: 35 * ms}
					c.numbers.Reads, c.numbers.Writes = 128, 128
					start := time.Now()
					var wg sync.WaitGroup
					for range c.procs {
						wg.Go(func() {
							st := limit.New(s, limit.Options{Bucket: limit.NewBucket(c.numbers), InFlight: c.fixed})
							_ = concurrency.EachN(t.Context(), 130, c.n, func(ctx context.Context, i int) (err error) {
								if writes {
									_, err = st.Put(ctx, "k", make([]byte, 1000), store.PutOptions{})
								} else {
									_, err = st.Get(ctx, "k", store.GetOptions{}, nil)
								}
								return err
							})
						})
					}
					wg.Wait()
					if took := time.Since(start); took < 95*c.took/100 || took > 105*c.took/100 {
						t.Errorf("it took %v, want %v", took, c.took)
					}
				})
			})
		}
	}
}

// TestNoAllocation checks that a request that does not wait allocates nothing.
func TestNoAllocation(t *testing.T) {
	m := mem.New()
	if _, err := m.Put(t.Context(), "k", make([]byte, 100), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	quota := retry.NewQuota()
	st := retried(t, limit.New(m, limit.Options{Bucket: limit.NewBucket(limit.BucketOptions{Reads: 128, Writes: 128, Cured: quota.Cures})}), retry.From(quota))
	buf := make([]byte, 0, 200)
	n := testing.AllocsPerRun(100, func() { _, _ = st.Get(t.Context(), "k", store.GetOptions{}, buf) })
	if n != 0 && !race.Enabled {
		t.Errorf("%v allocations", n)
	}
}
