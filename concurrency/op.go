package concurrency

import (
	"context"
	"slices"
	"sync"
)

// ops is the part of a budget that Ops draw on. It can be overdrawn by one task for each [Op], so that none ever starves, and by
// corrections.
type ops struct {
	mu      sync.Mutex
	size    int64
	used    int64
	peak    int64
	waiting []*opWaiter // in order of arrival
}

type opWaiter struct {
	op    *Op
	n     int64
	ready chan struct{} // closed when granted, under mu
}

// Op is one operation that draws on a budget: a read, a write. Its tasks reserve through it.
type Op struct {
	b    *ops
	held int // reservations of this op, under b.mu
}

// Op begins an operation. What it reserves is not counted with what [Budget.Acquire] does.
func (b *Budget) Op() *Op { return &Op{b: &b.ops} }

// OpHold is a reservation; it must be released.
type OpHold struct {
	op *Op
	n  int64
}

// Acquire reserves n bytes, waiting in order of arrival until they fit. An Op that holds nothing is granted its
// reservation at once, as debt if need be.
func (o *Op) Acquire(ctx context.Context, n int64) (*OpHold, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	n = max(n, 0)
	b := o.b
	b.mu.Lock()
	if o.held == 0 || (len(b.waiting) == 0 && b.used+n <= b.size) {
		b.grant(o, n)
		b.mu.Unlock()
		return &OpHold{o, n}, nil
	}
	w := &opWaiter{op: o, n: n, ready: make(chan struct{})}
	b.waiting = append(b.waiting, w)
	b.mu.Unlock()

	select {
	case <-w.ready:
		return &OpHold{o, n}, nil
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
func (h *OpHold) Adjust(n int64) {
	b := h.op.b
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used += max(n, 0) - h.n
	b.peak = max(b.peak, b.used)
	h.n = max(n, 0)
	b.wake()
}

// Release gives the reservation back. It must be called once.
func (h *OpHold) Release() {
	b := h.op.b
	b.mu.Lock()
	defer b.mu.Unlock()
	b.release(h.op, h.n)
}

func (b *ops) grant(o *Op, n int64) {
	o.held++
	b.used += n
	b.peak = max(b.peak, b.used)
}

func (b *ops) release(o *Op, n int64) {
	o.held--
	b.used -= n
	b.wake()
}

// wake grants the waiters that fit, in order, and beyond the first that does not fit only those of operations that hold
// nothing.
func (b *ops) wake() {
	inOrder := true
	b.waiting = slices.DeleteFunc(b.waiting, func(w *opWaiter) bool {
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
