package concurrency

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestEachRunsAllAndNeverMoreThanInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, peak, done atomic.Int64
		err := EachN(t.Context(), 7, 100, func(context.Context, int) error {
			n := now.Add(1)
			for p := peak.Load(); n > p && !peak.CompareAndSwap(p, n); p = peak.Load() {
			}
			time.Sleep(time.Second)
			now.Add(-1)
			done.Add(1)
			return nil
		})
		if err != nil || done.Load() != 100 || peak.Load() != 7 {
			t.Errorf("err %v, done %d, peak %d", err, done.Load(), peak.Load())
		}
	})
}

func TestEachStopsAtTheFirstError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boom := errors.New("boom")
		var started, cancelled atomic.Int64
		begin := time.Now()
		err := EachN(t.Context(), 4, 1000, func(ctx context.Context, i int) error {
			started.Add(1)
			if i == 2 {
				return boom
			}
			select {
			case <-ctx.Done():
				cancelled.Add(1)
				return ctx.Err()
			case <-time.After(time.Hour):
				return nil
			}
		})
		if !errors.Is(err, boom) {
			t.Errorf("err %v, want boom", err)
		}
		if time.Since(begin) != 0 || started.Load() > 6 || cancelled.Load() != started.Load()-1 {
			t.Errorf("took %v, started %d, cancelled %d", time.Since(begin), started.Load(), cancelled.Load())
		}
	})
}

func TestEachIsCancelledPromptlyAndLeaksNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		var started atomic.Int64
		go func() { time.Sleep(time.Minute); cancel(cause) }()
		begin := time.Now()
		err := EachN(ctx, 8, 1_000_000, func(ctx context.Context, _ int) error {
			started.Add(1)
			<-ctx.Done()
			return ctx.Err()
		})
		if !errors.Is(err, context.Canceled) && !errors.Is(err, cause) {
			t.Errorf("err %v", err)
		}
		if time.Since(begin) != time.Minute || started.Load() != 8 {
			t.Errorf("took %v, started %d", time.Since(begin), started.Load())
		}
		if err := EachN(ctx, 8, 5, func(context.Context, int) error { t.Error("started"); return nil }); !errors.Is(err, cause) {
			t.Errorf("err %v", err)
		}
	}) // synctest fails if a goroutine of the bubble remains
	for range 1000 { // a finished goroutine is counted until the runtime removes it
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

func TestCPUSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewCPU(2)
		a, _ := c.Acquire(t.Context())
		b, _ := c.Acquire(t.Context())
		a.Scratch = "kept"
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.Acquire(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("third slot: %v", err)
		}
		a.Release()
		if s, err := c.Acquire(t.Context()); err != nil || s.Scratch != "kept" {
			t.Errorf("scratch %v, err %v", s.Scratch, err)
		}
		b.Release()
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.Acquire(gone); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled acquire of a free slot: %v", err)
		}
	})
}

func TestKeyedMutex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var k KeyedMutex
		held, err := k.Lock(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		other, err := k.Lock(t.Context(), "b")
		if err != nil {
			t.Fatal(err)
		}
		other.Unlock()
		if _, ok := k.TryLock("a"); ok {
			t.Error("tried: two inside")
		}
		if other, ok := k.TryLock("b"); !ok {
			t.Error("tried: a name that is free")
		} else {
			other.Unlock()
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := k.Lock(ctx, "a"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("second lock: %v", err)
		}
		inside := 0
		for range 10 {
			go func() {
				held, err := k.Lock(t.Context(), "a")
				if err != nil {
					t.Error(err)
					return
				}
				if inside++; inside != 1 {
					t.Error("two inside")
				}
				time.Sleep(time.Second)
				inside--
				held.Unlock()
			}()
		}
		synctest.Wait()
		held.Unlock()
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if len(k.names) != 0 {
			t.Errorf("%d names left", len(k.names))
		}
	})
}

// TestKeyedMutexTurns checks that waiters are served in order of arrival, and that a waiter that
// gives up does not block the others, even at the moment when it is served.
func TestKeyedMutexTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var k KeyedMutex
		held, ok := k.TryLock("a")
		if !ok {
			t.Fatal("the name is locked")
		}
		ctx, cancel := context.WithCancel(t.Context())
		var order []int
		for i := range 6 {
			of := t.Context()
			if i%2 == 0 {
				of = ctx
			}
			go func() {
				if l, err := k.Lock(of, "a"); err == nil {
					order = append(order, i)
					l.Unlock()
				} else if !errors.Is(err, context.Canceled) || i%2 != 0 {
					t.Errorf("%d: %v", i, err)
				}
			}()
			synctest.Wait()
		}
		cancel()
		held.Unlock() // may hand the lock to the first waiter
		synctest.Wait()
		order = slices.DeleteFunc(order, func(i int) bool { return i == 0 })
		if !slices.Equal(order, []int{1, 3, 5}) || len(k.names) != 0 {
			t.Errorf("%d had their turns, %d names left", order, len(k.names))
		}
	})
}

func TestKeyedMutexAllocatesNothing(t *testing.T) {
	var k KeyedMutex
	names := make([]string, 100)
	for i := range names {
		names[i] = string(rune('A' + i))
	}
	held := make([]KeyLock, len(names))
	n := testing.AllocsPerRun(100, func() {
		for i, name := range names {
			held[i], _ = k.Lock(t.Context(), name)
		}
		for _, l := range held {
			l.Unlock()
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestDefault(t *testing.T) {
	l := Default()
	if l != Default() {
		t.Error("two defaults")
	}
	if l.CPU.Slots() != runtime.GOMAXPROCS(0) {
		t.Errorf("%d slots", l.CPU.Slots())
	}
	if s := l.Bytes.Size(); s < 1<<20 || s > MaxDefaultBudget {
		t.Errorf("budget of %d bytes", s)
	}
}
