package concurrency

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// within returns a queue of b, a budget below q's, with the same records.
func (q *queue) within(b *Budget) *queue {
	return &queue{t: q.t, b: b, granted: q.granted, holds: q.holds, mu: q.mu}
}

// used checks the number of reserved bytes.
func (q *queue) used(want int64) {
	q.t.Helper()
	if now, _ := q.b.Used(); now != want {
		q.t.Errorf("%d bytes are held, want %d", now, want)
	}
}

// TestChildHasABound checks that Tasks of a child wait for each other although the parent has free
// bytes, and that bytes of the child are also reserved in the parent.
func TestChildHasABound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, 160)
		c := q.within(q.b.Child(80)) // 70 for Tasks
		c.ask("a", Task, 50)
		c.ask("b", Task, 30)
		q.want("a")
		q.ask("c", Task, 80)
		q.want("c")
		c.used(50)
		q.used(130)
		c.release("a")
		q.want("b")
		c.used(30)
		q.used(110)
		q.release("c")
		c.release("b")
		c.used(0)
		q.used(0)
		if _, peak := c.b.Used(); peak != 50 {
			t.Errorf("%d at most", peak)
		}
		if n := q.b.Child(1 << 20).Size(); n != 160 {
			t.Errorf("a child has %d bytes, and its parent 160", n)
		}
	})
}

// TestChildWaitsInItsParent checks that waiters that fit their child are served in order of arrival
// with those of the parent and of other children.
func TestChildWaitsInItsParent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, 80)
		one, two := q.within(q.b.Child(80)), q.within(q.b.Child(40))
		q.ask("first", Task, 60)
		one.ask("one", Task, 20)
		two.ask("two", Task, 30)
		q.ask("last", Task, 5)
		two.ask("behind", Task, 10) // does not fit in its child
		q.want("first")
		if _, ok := one.b.Try(Ahead, 1); ok {
			t.Error("Try was granted past those that wait in the parent")
		}
		if _, ok := one.b.AcquireNow(Task, 1); ok {
			t.Error("a Task was granted past those that wait in the parent")
		}
		if _, ok := one.b.AcquireNow(Index, 1); !ok {
			t.Error("an Index waits for Tasks")
		}
		q.release("first")
		q.want("one", "two", "last")
		q.release("one")
		q.want()
		q.release("two")
		q.want("behind")
	})
}

// TestChildTaskIsAlone checks that a Task larger than the child runs alone in the child, but not in
// the parent, and that a Task larger than both runs alone in both.
func TestChildTaskIsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, 80)
		c := q.within(q.b.Child(16))
		c.ask("large", Task, 40)
		c.ask("small", Task, 1)
		q.ask("beside", Task, 30)
		q.want("large", "beside")
		q.ask("huge", Task, 100)
		c.release("large")
		q.want() // the small Task waits in the parent, behind the huge one
		q.release("beside")
		q.want("huge")
		q.release("huge")
		q.want("small")
		c.release("small")
		q.used(0)
	})
}

// TestCancelledInTheParent checks that a waiter that is cancelled in the parent releases its bytes
// in the child.
func TestCancelledInTheParent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, 80)
		c := q.within(q.b.Child(40).Child(40))
		for _, k := range []Kind{Task, Block} {
			q.ask("first", Task, 70)
			q.want("first")
			boom := errors.New("boom")
			ctx, cancel := context.WithCancelCause(t.Context())
			gone := make(chan error, 1)
			go func() { _, err := c.b.Acquire(ctx, k, 25); gone <- err }()
			synctest.Wait()
			c.ask("next", k, 20)
			cancel(boom)
			if err := <-gone; !errors.Is(err, boom) {
				t.Errorf("%v, want the cause", err)
			}
			synctest.Wait()
			c.used(0)
			q.release("first")
			q.want("next")
			c.used(20)
			c.release("next")
			q.used(0)
			for _, b := range []*Budget{q.b, c.b.parent, c.b} {
				if b.waits() || b.kinds[k].used != 0 {
					t.Errorf("%+v is left", b)
				}
			}
		}
	})
}

// TestHoldOfAChild checks that methods of a child's hold update the parent's count, and that holds
// of both reuse each other's buffers.
func TestHoldOfAChild(t *testing.T) {
	b := NewBudget(1 << 20)
	c := b.Child(1 << 18)
	keep, _ := b.Acquire(t.Context(), Task, 1) // keeps idle buffers from the collector
	h, _ := c.Acquire(t.Context(), Task, 8192)
	both := func(want int64) {
		t.Helper()
		now, _ := b.Used()
		if below, _ := c.Used(); below != want || now != want+1 {
			t.Errorf("%d bytes of the child and %d of the parent, want %d and one more", below, now, want)
		}
	}
	buf := h.Buffer(4096)
	both(8192)
	h.Shrink(5000)
	both(5000)
	h.Adopt(make([]byte, 2000))
	both(6096)
	h.Detach(buf)
	both(2000)
	h.Buffer(4096)
	both(6096)
	h.Release()
	both(0)
	mine, _ := b.Acquire(t.Context(), Task, 4096)
	made := mine.Buffer(4096)
	mine.Release()
	h, _ = c.Acquire(t.Context(), Task, 4096)
	if !same(h.Buffer(4096), made) {
		t.Error("the child made a buffer, and its parent had one")
	}
	h.Release()
	keep.Release()
}
