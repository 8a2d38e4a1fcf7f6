package concurrency

import (
	"context"
	"errors"
	"runtime"
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
	}) // synctest fails when a goroutine of the bubble is left
	for range 1000 { // one that has done its work is counted until it is gone
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

func TestBudgetWaitsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(10)
		op := b.Op()
		first, _ := op.Acquire(t.Context(), 6)
		granted := make(chan *OpHold, 2)
		// The large one comes first, so the small one waits behind it though it would fit.
		for i, n := range []int64{8, 3} {
			go func() {
				time.Sleep(time.Duration(i) * time.Second)
				h, err := op.Acquire(t.Context(), n)
				if err != nil {
					t.Error(err)
					return
				}
				granted <- h
			}()
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if len(granted) != 0 {
			t.Errorf("%d granted over the budget", len(granted))
		}
		first.Release()
		h := <-granted
		synctest.Wait()
		if h.n != 8 || len(granted) != 0 {
			t.Errorf("granted %d bytes first, then %d more", h.n, len(granted))
		}
		h.Release()
		(<-granted).Release()
		if now, peak := b.Used(); now != 0 || peak != 8 {
			t.Errorf("used %d, peak %d", now, peak)
		}
	})
}

func TestBudgetLetsEveryOpRunOneTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(10)
		hog, other := b.Op(), b.Op()
		h, _ := hog.Acquire(t.Context(), 10)
		o, err := other.Acquire(t.Context(), 1<<40) // more than there will ever be
		if err != nil {
			t.Fatal(err)
		}
		// A waiter of an op that has released all it held is granted too, past a queue that does not move.
		granted := make(chan *OpHold)
		go func() { // waits for the budget, as hog holds a task
			w, _ := hog.Acquire(t.Context(), 10)
			granted <- w
		}()
		go func() {
			w, _ := other.Acquire(t.Context(), 1<<40)
			granted <- w
		}()
		synctest.Wait()
		o.Release()
		w := <-granted
		if w.op != other {
			t.Errorf("granted the hog")
		}
		w.Release()
		h.Release()
		(<-granted).Release()
		if now, _ := b.Used(); now != 0 {
			t.Errorf("used %d", now)
		}
	})
}

func TestBudgetAdjustNeverWaitsAndWakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(10)
		op := b.Op()
		h, _ := op.Acquire(t.Context(), 5)
		h.Adjust(50)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := op.Acquire(ctx, 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("acquired beside a debt: %v", err)
		}
		done := make(chan error)
		go func() {
			w, err := op.Acquire(t.Context(), 4)
			w.Release()
			done <- err
		}()
		synctest.Wait()
		h.Adjust(3)
		if err := <-done; err != nil {
			t.Error(err)
		}
		h.Release()
		if now, peak := b.Used(); now != 0 || peak != 50 {
			t.Errorf("used %d, peak %d", now, peak)
		}
	})
}

func TestBudgetCancelledWaiterUnblocksTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(10)
		op := b.Op()
		h, _ := op.Acquire(t.Context(), 6)
		ctx, cancel := context.WithCancel(t.Context())
		big := make(chan error)
		go func() { _, err := op.Acquire(ctx, 10); big <- err }()
		synctest.Wait()
		small := make(chan error)
		go func() { s, err := op.Acquire(t.Context(), 4); s.Release(); small <- err }()
		synctest.Wait()
		cancel()
		if err := <-big; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := <-small; err != nil {
			t.Error(err)
		}
		h.Release()
	})
}

func TestBudgetUnderLoadStaysWithinDebt(t *testing.T) {
	b := NewBudget(1000)
	err := EachN(t.Context(), 8, 8, func(ctx context.Context, _ int) error {
		op := b.Op()
		return EachN(ctx, 16, 500, func(ctx context.Context, i int) error {
			h, err := op.Acquire(ctx, int64(i%97))
			if err != nil {
				return err
			}
			defer h.Release()
			runtime.Gosched()
			h.Adjust(int64(i % 89))
			return nil
		})
	})
	now, peak := b.Used()
	// Eight ops may each overdraw by one task, and 128 tasks by the corrections in their favour of at most 88 bytes.
	if err != nil || now != 0 || peak > 1000+8*97+128*88 {
		t.Errorf("err %v, used %d, peak %d", err, now, peak)
	}
}

func TestKeyed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var k Keyed
		unlock, err := k.Lock(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		other, err := k.Lock(t.Context(), "b")
		if err != nil {
			t.Fatal(err)
		}
		other()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := k.Lock(ctx, "a"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("second lock: %v", err)
		}
		inside := 0
		for range 10 {
			go func() {
				unlock, err := k.Lock(t.Context(), "a")
				if err != nil {
					t.Error(err)
					return
				}
				if inside++; inside != 1 {
					t.Error("two inside")
				}
				time.Sleep(time.Second)
				inside--
				unlock()
			}()
		}
		synctest.Wait()
		unlock()
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if len(k.locks) != 0 {
			t.Errorf("%d names left", len(k.locks))
		}
	})
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
