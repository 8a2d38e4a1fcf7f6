package hedge

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

// exchangeOf describes a Get: when its first byte arrives, how long its body takes, and how it
// fails.
type exchangeOf struct {
	first, body time.Duration
	err         error // returned instead of a response
	cut         int   // number of bytes of the body that arrive, if not 0
}

// network is a store over another one. next describes the n-th Get, counted from 0.
type network struct {
	store.Store
	next func(n int) exchangeOf

	mu        sync.Mutex
	gets      int
	cancelled int
	size      int64 // length of the values, reported with the first byte
}

func (w *network) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	w.mu.Lock()
	x := w.next(w.gets)
	w.gets++
	w.mu.Unlock()
	fail := func(err error) (store.Value, error) {
		if ctx.Err() != nil {
			w.mu.Lock()
			w.cancelled++
			w.mu.Unlock()
		}
		return store.Value{}, &fault.KeyError{Op: "get", Store: "network", Key: key, Err: err}
	}
	if err := concurrency.Sleep(ctx, x.first); err != nil {
		return fail(ctx.Err())
	}
	e := store.FirstByte{Op: store.OpGet, Key: key, Status: 200, Announced: w.size, After: x.first}
	if errors.Is(x.err, fault.NotFound) {
		e.Status = 404
	} else if x.err != nil {
		e.Status = 500
	}
	if t := store.TraceOf(ctx); t != nil && t.FirstByte != nil {
		t.FirstByte(ctx, e)
	}
	if x.err != nil {
		return fail(x.err)
	}
	if err := concurrency.Sleep(ctx, x.body); err != nil {
		return fail(ctx.Err())
	}
	v, err := w.Store.Get(ctx, key, o, buf)
	if x.cut > 0 && err == nil {
		v.Bytes = v.Bytes[:len(buf)+x.cut]
		return fail(fault.Newf(fault.Unavailable, "%w", &store.TruncatedError{Value: v, Want: v.Size, Err: errors.New("reset")}))
	}
	return v, err
}

const normal = 30 * time.Millisecond

// scripted returns a hedged store whose requests take 30 ms to their first byte. The exchanges of
// the script are exceptions, and apply after the warm-up.
func scripted(t *testing.T, o Options, script ...exchangeOf) (*Store, *network) {
	t.Helper()
	m := mem.New()
	if _, err := m.Put(t.Context(), "k", []byte("value"), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	w := &network{Store: m, next: func(int) exchangeOf { return exchangeOf{first: normal} }}
	if o.Budget == nil {
		o.Budget = concurrency.NewBudget(1 << 20)
	}
	s := New(w, o)
	for range 2 * enough {
		if v, err := s.Get(t.Context(), "k", store.GetOptions{Max: 100}, nil); err != nil || string(v.Bytes) != "value" {
			t.Fatal(v, err)
		}
	}
	w.gets = 0
	w.next = func(n int) exchangeOf {
		if n < len(script) {
			return script[n]
		}
		return exchangeOf{first: normal}
	}
	return s, w
}

// TestGet checks the result, the time and the number of requests of one Get.
func TestGet(t *testing.T) {
	throttled := fault.Newf(fault.Throttled, "slow down")
	broken := fault.Newf(fault.Unavailable, "reset")
	sec := time.Second
	late := 45 * time.Millisecond // 1.5 times the normal latency
	for _, tt := range []struct {
		name   string
		script []exchangeOf
		took   time.Duration
		gets   int
		hedges string // hedges in the trace
		kind   error
		cut    string
	}{
		{"in time", []exchangeOf{{first: normal}}, normal, 1, "", nil, ""},
		{"a slow body", []exchangeOf{{first: normal, body: sec}}, normal + sec, 1, "", nil, ""},
		{"the second is first", []exchangeOf{{first: sec}, {first: normal}}, late + normal, 2, "45ms true", nil, ""},
		{"the second is first, its body slow", []exchangeOf{{first: sec}, {first: normal, body: 2 * sec}}, late + normal + 2*sec, 2, "45ms true", nil, ""},
		{"the first is first", []exchangeOf{{first: 60 * time.Millisecond, body: sec}, {first: sec}}, 60*time.Millisecond + sec, 2, "45ms false", nil, ""},
		{"the second fails", []exchangeOf{{first: 100 * time.Millisecond}, {first: normal, err: broken}}, 100 * time.Millisecond, 2, "45ms false", nil, ""},
		{"the second is throttled", []exchangeOf{{first: 100 * time.Millisecond}, {first: normal, err: throttled}}, 100 * time.Millisecond, 2, "45ms false", nil, ""},
		{"the first breaks, the second comes", []exchangeOf{{first: 60 * time.Millisecond, err: broken}, {first: normal}}, late + normal, 2, "45ms true", nil, ""},
		{"both break", []exchangeOf{{first: 60 * time.Millisecond, err: broken}, {first: normal, err: broken}}, late + normal, 2, "45ms false", fault.Unavailable, ""},
		{"the first is throttled", []exchangeOf{{first: 60 * time.Millisecond, err: throttled}, {first: sec}}, 60 * time.Millisecond, 2, "45ms false", fault.Throttled, ""},
		{"the first is absent", []exchangeOf{{first: 60 * time.Millisecond, err: fault.NotFound}, {first: sec}}, 60 * time.Millisecond, 2, "45ms false", fault.NotFound, ""},
		{"the second is cut", []exchangeOf{{first: sec}, {first: normal, cut: 3}}, late + normal, 2, "45ms true", fault.Unavailable, "old val"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, w := scripted(t, Options{}, tt.script...)
				var hedges []string
				ctx := store.WithTrace(t.Context(), &store.Trace{Hedge: func(_ context.Context, h store.Hedge) {
					hedges = append(hedges, fmt.Sprint(h.After, h.Won))
				}})
				start := time.Now()
				v, err := s.Get(ctx, "k", store.GetOptions{Max: 100}, append(make([]byte, 0, 100), "old "...))
				if took := time.Since(start); took != tt.took {
					t.Errorf("it took %v, want %v", took, tt.took)
				}
				if w.gets != tt.gets || strings.Join(hedges, ",") != tt.hedges {
					t.Errorf("%d requests and the hedges %q, want %d and %q", w.gets, hedges, tt.gets, tt.hedges)
				}
				var cut *store.TruncatedError
				switch {
				case tt.cut != "":
					if !errors.As(err, &cut) || string(cut.Value.Bytes) != tt.cut {
						t.Errorf("%v has %q, want %q", err, cut.Value.Bytes, tt.cut)
					}
				case !errors.Is(err, tt.kind):
					t.Errorf("%v, want %v", err, tt.kind)
				case err == nil && (string(v.Bytes) != "old value" || v.Size != 5 || v.Version == ""):
					t.Errorf("%q, %d bytes, version %q", v.Bytes, v.Size, v.Version)
				}
				if used, _ := s.o.Budget.Used(); used != 0 {
					t.Errorf("%d bytes of the budget are held", used)
				}
				synctest.Wait() // if a goroutine remained, the bubble would never end
			})
		})
	}
}

// TestNone checks cases without a second request although the first is slow.
func TestNone(t *testing.T) {
	slow := exchangeOf{first: time.Second}
	get := func(t *testing.T, s *Store, w *network, o store.GetOptions, want int) {
		t.Helper()
		w.gets = 0
		if _, err := s.Get(t.Context(), "k", o, nil); err != nil && !errors.Is(err, fault.Throttled) {
			t.Fatal(err)
		}
		if w.gets != want {
			t.Errorf("%d requests, want %d", w.gets, want)
		}
	}
	bubble := func(name string, f func(t *testing.T)) {
		t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
	}
	small := store.GetOptions{Max: 100}
	bubble("of unknown length", func(t *testing.T) {
		s, w := scripted(t, Options{}, slow)
		get(t, s, w, store.GetOptions{}, 1)
	})
	bubble("nothing seen of the class", func(t *testing.T) {
		s, w := scripted(t, Options{}, slow)
		get(t, s, w, store.GetOptions{Max: 1 << 20}, 1)
	})
	bubble("no memory", func(t *testing.T) {
		budget := concurrency.NewBudget(1 << 20)
		s, w := scripted(t, Options{Budget: budget}, slow)
		hold, err := budget.Acquire(t.Context(), concurrency.Task, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		get(t, s, w, small, 1)
		hold.Release()
		get(t, s, w, small, 2)
	})
	bubble("no slot", func(t *testing.T) {
		free := false
		s, w := scripted(t, Options{Free: func() bool { return free }}, slow)
		get(t, s, w, small, 1)
		free = true
		get(t, s, w, small, 2)
	})
	bubble("throttled", func(t *testing.T) {
		s, w := scripted(t, Options{}, exchangeOf{err: fault.Newf(fault.Throttled, "slow down")})
		get(t, s, w, small, 1)
		w.next = func(n int) exchangeOf { return []exchangeOf{slow, {first: normal}}[n] }
		get(t, s, w, small, 1)
		time.Sleep(quiet)
		get(t, s, w, small, 2)
	})
	bubble("all are slow", func(t *testing.T) {
		s, w := scripted(t, Options{})
		// Below the limit, but 1.5 times the normal latency.
		w.next = func(int) exchangeOf { return exchangeOf{first: 44 * time.Millisecond} }
		for range window {
			get(t, s, w, small, 1)
		}
		w.next = func(int) exchangeOf { return exchangeOf{first: 60 * time.Millisecond} }
		for range window {
			get(t, s, w, small, 1)
		}
		late := s.classes[0].limit + 10*time.Millisecond
		w.next = func(n int) exchangeOf { return []exchangeOf{{first: late}, {first: normal}}[n] }
		get(t, s, w, small, 1)
		// Without recent responses it is unknown whether all requests are slow.
		w.next = func(n int) exchangeOf { return []exchangeOf{slow, {first: normal}}[n] }
		get(t, s, w, small, 2)
	})
}

// TestFirstWave checks that requests that start before the limit is known are hedged once the first
// responses have arrived.
func TestFirstWave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := mem.New()
		w := &network{Store: m, next: func(n int) exchangeOf {
			if n < 128 && n%64 == 5 { // two of 128 requests
				return exchangeOf{first: 20 * normal}
			}
			return exchangeOf{first: normal + time.Duration(n%10)*time.Millisecond}
		}}
		if _, err := m.Put(t.Context(), "k", []byte("value"), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		s := New(w, Options{Budget: concurrency.NewBudget(1 << 20)})
		start := time.Now()
		if err := concurrency.EachN(t.Context(), 128, 128, func(ctx context.Context, _ int) error {
			_, err := s.Get(ctx, "k", store.GetOptions{Max: 100}, nil)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took > 4*normal || w.gets != 130 || w.cancelled != 2 {
			t.Errorf("%v and %d requests, %d cancelled; want 130, 2, and no wait for the slow ones", took, w.gets, w.cancelled)
		}
	})
}

// TestAllowance checks that second requests do not exceed the allowance if requests are often slow,
// and that the allowance is small if the second requests are seldom faster.
func TestAllowance(t *testing.T) {
	for _, c := range []struct {
		name     string
		again    time.Duration // first byte of the second request
		from, to int           // per thousand
	}{
		{"faster", normal, 70, 100},
		{"slower", 20 * normal, 20, 30},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, 2))
				s, w := scripted(t, Options{})
				slow := false
				w.next = func(int) exchangeOf {
					if slow {
						slow = false
						return exchangeOf{first: c.again}
					}
					if slow = r.IntN(5) == 0; slow {
						return exchangeOf{first: 10 * normal}
					}
					return exchangeOf{first: normal}
				}
				s.classes[0].normal = time.Hour // disables the check of the median
				const n = 2000
				for range n {
					slow = false
					s.mu.Lock()
					s.classes[0].limit = 45 * time.Millisecond
					s.mu.Unlock()
					if _, err := s.Get(t.Context(), "k", store.GetOptions{Max: 100}, nil); err != nil {
						t.Fatal(err)
					}
				}
				if extra := w.gets - n; extra < n*c.from/1000 || extra > n*c.to/1000+burst {
					t.Errorf("%d second requests of %d", extra, n)
				}
			})
		})
	}
}

// TestTail checks that second requests at least halve the 95th percentile if 5 or 10 % of the
// requests are slow, and that there are at most as many more requests as slow ones.
func TestTail(t *testing.T) {
	const n = 4000
	run := func(t *testing.T, slow int, hedged bool) (p95 time.Duration, gets int) {
		m := mem.New()
		if _, err := m.Put(t.Context(), "k", []byte("value"), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(3, uint64(slow)))
		w := &network{Store: m, next: func(int) exchangeOf {
			x := exchangeOf{first: normal + time.Duration(r.Int64N(int64(normal/3)))}
			if r.IntN(1000) < slow {
				x.first *= 10
			}
			return x
		}}
		var s store.Store = w
		if hedged {
			s = New(w, Options{Budget: concurrency.NewBudget(1 << 20)})
		}
		took := make([]time.Duration, n)
		if err := concurrency.EachN(t.Context(), 64, n, func(ctx context.Context, i int) error {
			start := time.Now()
			_, err := s.Get(ctx, "k", store.GetOptions{Max: 100}, nil)
			took[i] = time.Since(start)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		slices.Sort(took)
		return took[n*95/100], w.gets
	}
	for _, slow := range []int{10, 60, 100} { // per thousand
		t.Run(fmt.Sprintf("slow=%d", slow), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				without, _ := run(t, slow, false)
				with, gets := run(t, slow, true)
				t.Logf("p95 %v without, %v with %d more requests", without, with, gets-n)
				if slow > 50 && with > without/2 {
					t.Errorf("95th percentile %v without second requests, %v with them", without, with)
				}
				if extra := gets - n; extra > n*min(2*slow, 100)/1000+burst {
					t.Errorf("%d more requests", extra)
				}
			})
		})
	}
}

// TestFirstDocuments checks that slow reads of documents are requested again although there have
// been few requests, and that absent documents count among them.
func TestFirstDocuments(t *testing.T) {
	const document, sec, near = 64 << 20, time.Second, 2 * time.Millisecond
	absent := exchangeOf{first: normal, err: fault.NotFound}
	for _, c := range []struct {
		name   string
		stored string
		before []exchangeOf
		gets   int
		took   time.Duration
	}{
		{"after three", "{}", []exchangeOf{{first: normal}, {first: 40 * time.Millisecond}, {first: sec}}, 2, 190 * time.Millisecond},
		{"after fast ones", "{}", []exchangeOf{{first: normal / 5}, {first: normal / 5}, {first: normal / 5}}, 2, 130 * time.Millisecond},
		{"after three absent ones", "{}", []exchangeOf{absent, absent, absent}, 2, 150 * time.Millisecond},
		{"of a near server", "{}", []exchangeOf{{first: near}, {first: near}, {first: near}}, 1, sec},
		{"after two", "{}", []exchangeOf{{first: normal}, {first: normal}}, 1, sec},
		{"longer than usual", strings.Repeat(" ", usual+1), []exchangeOf{{first: normal}, {first: normal}, {first: normal}}, 2, sec},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := mem.New()
				if _, err := m.Put(t.Context(), "k", []byte(c.stored), store.PutOptions{}); err != nil {
					t.Fatal(err)
				}
				w := &network{Store: m, size: int64(len(c.stored)), next: func(n int) exchangeOf { return c.before[n] }}
				s := New(w, Options{Budget: concurrency.NewBudget(16 << 20)})
				for range c.before {
					_, _ = s.Get(t.Context(), "k", store.GetOptions{Max: document}, nil)
				}
				w.gets = 0
				w.next = func(n int) exchangeOf { return []exchangeOf{{first: time.Second}, {first: normal}}[n] }
				start := time.Now()
				v, err := s.Get(t.Context(), "k", store.GetOptions{Max: document}, nil)
				if took := time.Since(start); err != nil || len(v.Bytes) != len(c.stored) || took != c.took || w.gets != c.gets {
					t.Errorf("%d bytes, %v, after %v and %d requests", len(v.Bytes), err, took, w.gets)
				}
			})
		})
	}
}

// TestConforms checks that a store with many second requests satisfies the contract.
func TestConforms(t *testing.T) {
	var twice atomic.Int64
	storetest.Run(t, func(t *testing.T) store.Store {
		w := &network{Store: mem.New(), next: func(n int) exchangeOf {
			return exchangeOf{first: time.Duration(n%3) * 100 * time.Microsecond}
		}}
		s := &eager{Store: New(w, Options{Budget: concurrency.NewBudget(1 << 28)})}
		s.least = 0
		for i := range s.classes {
			s.classes[i].limit = time.Nanosecond
		}
		t.Cleanup(func() { twice.Add(int64(w.gets) - s.gets.Load()) })
		return s
	}, storetest.Keys(50), storetest.Rounds(3))
	if twice.Load() < 20 {
		t.Errorf("%d requests were made twice", twice.Load())
	}
}

// eager restores its whole allowance before each Get.
type eager struct {
	*Store
	gets atomic.Int64
}

func (e *eager) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	e.gets.Add(1)
	if o.Max == 0 {
		o.Max = 1 << 20 // more than any value in this test, because a Get without a limit is not hedged
	}
	e.mu.Lock()
	e.allowed = burst
	e.mu.Unlock()
	return e.Store.Get(ctx, key, o, buf)
}
