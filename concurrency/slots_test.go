package concurrency

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestSlotsFirstComeFirstServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(2)
		var mu sync.Mutex
		var order []int
		var wg sync.WaitGroup
		for i := range 10 {
			wg.Go(func() {
				if err := s.Acquire(t.Context()); err != nil {
					t.Error(err)
				}
				defer s.Release()
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				time.Sleep(time.Second)
			})
			synctest.Wait()
			time.Sleep(time.Millisecond)
		}
		if s.Held() != 2 || s.Try() {
			t.Errorf("%d held, or Try succeeded although there are waiters", s.Held())
		}
		wg.Wait()
		for i, n := range order {
			if n != i {
				t.Fatalf("order %v", order)
			}
		}
		if s.Held() != 0 || s.Peak() != 2 || s.Size() != 2 {
			t.Errorf("%d held, %d at most, %d slots", s.Held(), s.Peak(), s.Size())
		}
	})
}

func TestSlotsResize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(0)
		granted := make(chan struct{}, 10)
		for range 10 {
			go func() {
				if err := s.Acquire(t.Context()); err == nil {
					granted <- struct{}{}
				}
			}()
		}
		want := func(n int) {
			t.Helper()
			synctest.Wait()
			for range n {
				select {
				case <-granted:
				default:
					t.Fatal("too few were granted")
				}
			}
			if len(granted) != 0 {
				t.Fatal("too many were granted")
			}
		}
		want(1)
		s.Resize(4)
		want(3)
		s.Resize(2) // takes effect when slots are released
		if s.Size() != 2 || s.Held() != 4 || s.Try() {
			t.Errorf("%d slots, %d held", s.Size(), s.Held())
		}
		s.Release()
		s.Release()
		want(0)
		s.Release()
		want(1)
		s.Resize(-1)
		s.Release()
		want(0)
		s.Resize(10)
		want(5)
		for range 6 {
			s.Release()
		}
		if !s.Try() || s.Held() != 1 || s.Peak() != 6 {
			t.Errorf("%d held, %d at most", s.Held(), s.Peak())
		}
	})
}

func TestSlotsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(1)
		if !s.Try() {
			t.Fatal("no slot")
		}
		boom := errors.New("boom")
		ctx, cancel := context.WithCancelCause(t.Context())
		gone, next := make(chan error, 1), make(chan error, 1)
		go func() { gone <- s.Acquire(ctx) }()
		synctest.Wait()
		go func() { next <- s.Acquire(t.Context()) }()
		synctest.Wait()
		cancel(boom)
		if err := <-gone; !errors.Is(err, boom) {
			t.Errorf("%v, want the cause", err)
		}
		s.Release()
		if err := <-next; err != nil || s.Held() != 1 {
			t.Errorf("%v, %d held", err, s.Held())
		}
		if err := s.Acquire(ctx); !errors.Is(err, boom) {
			t.Errorf("%v, want the cause", err)
		}
	})
}

func TestSlotsUnderLoad(t *testing.T) {
	s := NewSlots(3)
	err := EachN(t.Context(), 32, 3000, func(ctx context.Context, i int) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		if i%5 == 0 {
			go cancel()
		}
		if i%100 == 0 {
			s.Resize(1 + i/100%7)
		}
		if s.Acquire(ctx) == nil {
			runtime.Gosched()
			s.Release()
		}
		return nil
	})
	if err != nil || s.Held() != 0 || s.Waiting() != 0 || s.Peak() > 7 {
		t.Errorf("err %v, %d held, %d wait, %d at most", err, s.Held(), s.Waiting(), s.Peak())
	}
}

// TestSlotsAhead checks that waiters with a higher rank go first, and waiters of the same rank in
// order of arrival.
func TestSlotsAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(1)
		if !s.Try() {
			t.Fatal("no slot")
		}
		var order []int
		var wg sync.WaitGroup
		for i, rank := range []int{0, 1, 0, 2, -3, 7, 1} {
			wg.Go(func() {
				if err := s.AcquireIn(t.Context(), nil, rank); err != nil {
					t.Error(err)
				}
				order = append(order, i)
				s.Release()
			})
			synctest.Wait() // ensures that they arrive in this order
		}
		if n := s.Waiting(); n != 7 || s.Try() {
			t.Errorf("%d wait", n)
		}
		s.Release()
		wg.Wait()
		if want := []int{3, 5, 1, 6, 0, 2, 4}; !slices.Equal(order, want) || s.Waiting() != 0 || s.Held() != 0 {
			t.Errorf("order %v, want %v", order, want)
		}
	})
}

// TestSlotsGroups checks that groups of waiters are served in turn, whatever their ranks, and that
// a group whose waiters are cancelled takes no turn.
func TestSlotsGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(1)
		if !s.Try() {
			t.Fatal("no slot")
		}
		gone, cancel := context.WithCancel(t.Context())
		var order []int
		var wg sync.WaitGroup
		for i, w := range []struct {
			group any
			rank  int
		}{{"a", 2}, {"gone", 0}, {"a", 2}, {"a", 0}, {"a", 2}, {nil, 0}, {"b", 0}, {"b", 1}, {"gone", 1}} {
			wg.Go(func() {
				ctx := t.Context()
				if w.group == "gone" {
					ctx = gone
				}
				if s.AcquireIn(ctx, w.group, w.rank) != nil {
					return
				}
				order = append(order, i)
				s.Release()
			})
			synctest.Wait() // ensures that they arrive in this order
		}
		cancel()
		synctest.Wait()
		if n := s.Waiting(); n != 7 {
			t.Errorf("%d wait", n)
		}
		s.Release()
		wg.Wait()
		if want := []int{0, 5, 7, 2, 6, 4, 3}; !slices.Equal(order, want) || s.Waiting() != 0 || s.Held() != 0 {
			t.Errorf("order %v, want %v", order, want)
		}
		if len(s.waiting.groups)+len(s.waiting.order) != 0 {
			t.Errorf("%d groups remain", len(s.waiting.groups))
		}
	})
}
