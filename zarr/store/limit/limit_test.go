package limit_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/limit"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/retry"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

func over(s store.Store, n int) (store.Store, *concurrency.Slots) {
	slots := concurrency.NewSlots(n)
	return limit.New(s, limit.Options{Slots: slots}), slots
}

type bare struct{ store.Store }

func bases() map[string]func(t *testing.T) store.Store {
	return map[string]func(t *testing.T) store.Store{
		"mem":  func(t *testing.T) store.Store { return mem.New() },
		"bare": func(t *testing.T) store.Store { return bare{mem.New()} },
		"dir":  func(t *testing.T) store.Store { return dir.New(t.TempDir()) },
	}
}

// TestStore runs with one slot, which detects code that takes a second slot while it holds the
// first.
func TestStore(t *testing.T) {
	for name, base := range bases() {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T) store.Store {
				return limit.New(base(t), limit.Options{InFlight: 1})
			}, storetest.Keys(100), storetest.Rounds(3))
		})
	}
}

// TestStack checks all layers in their intended order.
func TestStack(t *testing.T) {
	for name, base := range bases() {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T) store.Store {
				l, _ := over(base(t), 4)
				r, err := retry.New(l)
				if err != nil {
					t.Fatal(err)
				}
				p, err := store.Prefix(store.Observe(r, func(context.Context, store.Event) {}), "below/here")
				if err != nil {
					t.Fatal(err)
				}
				return p
			}, storetest.Rounds(3))
		})
	}
}

// slow is a store whose requests take a second. It counts concurrent requests.
type slow struct {
	*mem.Store
	mu        sync.Mutex
	now, most int
	order     []string
}

func (s *slow) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	s.mu.Lock()
	s.now++
	s.most = max(s.most, s.now)
	s.order = append(s.order, key)
	s.mu.Unlock()
	time.Sleep(time.Second)
	s.mu.Lock()
	s.now--
	s.mu.Unlock()
	return s.Store.Put(ctx, key, b, o)
}

func TestBoundAndOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{Store: mem.New()}
		l, slots := over(s, 3)
		start := time.Now()
		var wg sync.WaitGroup
		var want []string
		for i := range 12 {
			key := fmt.Sprintf("%02d", i)
			want = append(want, key)
			wg.Go(func() {
				if _, err := l.Put(t.Context(), key, nil, store.PutOptions{}); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait() // so that they call in this order
		}
		wg.Wait()
		if took := time.Since(start); took != 4*time.Second {
			t.Errorf("12 requests of 1 s, 3 at once, took %v", took)
		}
		// The order of the three that start together each second is arbitrary.
		slices.Sort(s.order[:3])
		for i := 3; i < 12; i += 3 {
			slices.Sort(s.order[i : i+3])
		}
		if s.most != 3 || slots.Peak() != 3 || slots.Held() != 0 || !slices.Equal(s.order, want) {
			t.Errorf("most %d, peak %d, in flight %d, order %q", s.most, slots.Peak(), slots.Held(), s.order)
		}
	})
}

func TestSharedSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := concurrency.NewSlots(2)
		s := &slow{Store: mem.New()}
		a, b := limit.New(s, limit.Options{Slots: slots}), limit.New(s, limit.Options{Slots: slots})
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				l := []store.Store{a, b}[i%2]
				if _, err := l.Put(t.Context(), fmt.Sprint(i), nil, store.PutOptions{}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if s.most != 2 {
			t.Errorf("%d at once", s.most)
		}
	})
}

func TestCancelledWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{Store: mem.New()}
		l, slots := over(s, 1)
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = l.Put(t.Context(), "first", nil, store.PutOptions{}) })
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		wg.Go(func() {
			start := time.Now()
			_, err := l.Put(ctx, "second", nil, store.PutOptions{})
			if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 100*time.Millisecond {
				t.Errorf("%v after %v", err, time.Since(start))
			}
		})
		synctest.Wait()
		wg.Go(func() {
			if _, err := l.Put(t.Context(), "third", nil, store.PutOptions{}); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
		if !slices.Equal(s.order, []string{"first", "third"}) || slots.Held() != 0 {
			t.Errorf("order %q, in flight %d", s.order, slots.Held())
		}
	})
}

// TestListingHoldsNoSlotBetweenEntries checks that a reader may use the store during a listing,
// even if there is only one slot.
func TestListingHoldsNoSlotBetweenEntries(t *testing.T) {
	for name, base := range bases() {
		t.Run(name, func(t *testing.T) {
			l, slots := over(base(t), 1)
			for _, k := range []string{"a", "b", "c"} {
				if _, err := l.Put(t.Context(), k, []byte(k), store.PutOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			for _, seq := range []iter.Seq2[store.Entry, error]{
				l.List(t.Context(), "", store.ListOptions{}), store.Pages(t.Context(), l, "", store.ListOptions{}),
			} {
				for e, err := range seq {
					if err != nil || slots.Held() != 0 {
						t.Fatalf("%v, %d slots are held", err, slots.Held())
					}
					if _, err := l.Get(t.Context(), e.Key, store.GetOptions{}, nil); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

type panics struct{ *mem.Store }

func (panics) Get(context.Context, string, store.GetOptions, []byte) (store.Value, error) { panic("x") }

func TestPanicGivesTheSlotBack(t *testing.T) {
	l, slots := over(panics{mem.New()}, 1)
	func() {
		defer func() { _ = recover() }()
		_, _ = l.Get(t.Context(), "k", store.GetOptions{}, nil)
	}()
	if n := slots.Held(); n != 0 {
		t.Errorf("%d slots are held", n)
	}
}

// TestAtLeastOne checks that fewer than one request in flight means one.
func TestAtLeastOne(t *testing.T) {
	for _, n := range []int{0, -1} {
		synctest.Test(t, func(t *testing.T) {
			st := limit.New(&service{Store: mem.New(), latency: 10 * ms}, limit.Options{InFlight: n})
			if took := get(t, st, 3, 3); took != 30*ms {
				t.Errorf("%d: three requests took %v", n, took)
			}
		})
	}
}

// TestResize resizes the slots while requests are in flight.
func TestResize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{Store: mem.New()}
		l, slots := over(s, 1)
		start := time.Now()
		var wg sync.WaitGroup
		for i := range 9 {
			wg.Go(func() {
				if _, err := l.Put(t.Context(), fmt.Sprint(i), nil, store.PutOptions{}); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		slots.Resize(4) // 4 in the first second
		time.Sleep(500 * time.Millisecond)
		slots.Resize(1) // then one per second
		wg.Wait()
		if took := time.Since(start); took != 6*time.Second || s.most != 4 || slots.Held() != 0 {
			t.Errorf("took %v, %d at once, %d held", took, s.most, slots.Held())
		}
	})
}

// TestRefusedBeforeItWaits checks that invalid requests do not wait for a slot.
func TestRefusedBeforeItWaits(t *testing.T) {
	l, slots := over(mem.New(), 1)
	if !slots.Try() {
		t.Fatal("no slot")
	}
	_, err := l.Get(t.Context(), "../k", store.GetOptions{}, nil)
	if !errors.Is(err, fault.Path) {
		t.Errorf("a key that is none: %v", err)
	}
	if _, err = l.Get(t.Context(), "k", store.GetOptions{Range: store.Within(-1, 1)}, nil); err == nil {
		t.Error("a range before the start was taken")
	}
	for _, err := range l.List(t.Context(), "../p", store.ListOptions{}) {
		if err == nil {
			t.Error("a prefix that is none was taken")
		}
	}
}

func ExampleNew_slots() {
	slots := concurrency.NewSlots(2)
	st := limit.New(mem.New(), limit.Options{Slots: slots})
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() { _, _ = st.Put(context.Background(), fmt.Sprint(i), nil, store.PutOptions{}) })
	}
	wg.Wait()
	fmt.Println(slots.Peak() <= 2)
	// Output: true
}
