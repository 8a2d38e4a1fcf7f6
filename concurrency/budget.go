package concurrency

import (
	"context"
	"slices"
	"sync"
)

// Budget bounds the bytes that are in flight at once: fetched and not yet decoded, encoded and not yet sent. It is a
// bound on the sum of the reservations; it can be overdrawn by one task for each [Op], so that none ever starves, and by
// corrections.
type Budget struct {
	mu      sync.Mutex
	size    int64
	used    int64
	peak    int64
	waiting []*waiter // in order of arrival
}

type waiter struct {
	op    *Op
	n     int64
	ready chan struct{} // closed when granted, under mu
}

// NewBudget makes a budget of size bytes; size < 1 means that each Op runs one task at a time.
func NewBudget(size int64) *Budget { return &Budget{size: max(size, 0)} }

// Size is the number of bytes the budget allows.
func (b *Budget) Size() int64 { return b.size }

// Used is the number of bytes reserved now, and Peak the most there has been.
func (b *Budget) Used() (now, peak int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used, b.peak
}

// Op is one operation that draws on a budget: a read, a write. Its tasks reserve through it.
type Op struct {
	b    *Budget
	held int // reservations of this op, under b.mu
}

// Op begins an operation.
func (b *Budget) Op() *Op { return &Op{b: b} }

// Hold is a reservation; it must be released.
type Hold struct {
	op *Op
	n  int64
}

// Acquire reserves n bytes, waiting in order of arrival until they fit. An Op that holds nothing is granted its
// reservation at once, as debt if need be.
func (o *Op) Acquire(ctx context.Context, n int64) (*Hold, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	n = max(n, 0)
	b := o.b
	b.mu.Lock()
	if o.held == 0 || (len(b.waiting) == 0 && b.used+n <= b.size) {
		b.grant(o, n)
		b.mu.Unlock()
		return &Hold{o, n}, nil
	}
	w := &waiter{op: o, n: n, ready: make(chan struct{})}
	b.waiting = append(b.waiting, w)
	b.mu.Unlock()

	select {
	case <-w.ready:
		return &Hold{o, n}, nil
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.waiting, w); i >= 0 {
		b.waiting = slices.Delete(b.waiting, i, i+1)
		b.wake() // w may have been what held the others up
	} else {
		b.release(o, n) // granted in the meantime
	}
	return nil, context.Cause(ctx)
}

// Adjust corrects the reservation to n bytes, once the true number is known. It never waits: what is missing is debt.
func (h *Hold) Adjust(n int64) {
	b := h.op.b
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used += max(n, 0) - h.n
	b.peak = max(b.peak, b.used)
	h.n = max(n, 0)
	b.wake()
}

// Release gives the reservation back. It must be called once.
func (h *Hold) Release() {
	b := h.op.b
	b.mu.Lock()
	defer b.mu.Unlock()
	b.release(h.op, h.n)
}

func (b *Budget) grant(o *Op, n int64) {
	o.held++
	b.used += n
	b.peak = max(b.peak, b.used)
}

func (b *Budget) release(o *Op, n int64) {
	o.held--
	b.used -= n
	b.wake()
}

// wake grants the waiters that fit, in order, and beyond the first that does not fit only those of operations that hold
// nothing.
func (b *Budget) wake() {
	inOrder := true
	b.waiting = slices.DeleteFunc(b.waiting, func(w *waiter) bool {
		fits := inOrder && b.used+w.n <= b.size
		if !fits && w.op.held > 0 {
			inOrder = false
			return false
		}
		b.grant(w.op, w.n)
		close(w.ready)
		return true
	})
}
