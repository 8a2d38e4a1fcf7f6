package concurrency

import (
	"context"
	"slices"
	"sync"
)

// Kind says what memory is reserved for, and so who may have to wait for whom.
type Kind uint8

const (
	// Task is work that ends without asking for more memory: all that one request and its decoding
	// need, or one chunk that is written. A Task waits for other Tasks alone, and these wait for
	// slots alone ([Slots], [CPU]), so it is granted in the end.
	Task Kind = iota
	// Index is the index of one shard and what is made of it. It is held while the Tasks of that
	// shard run, so who holds one may wait for Tasks, but never for a second Index.
	Index
	// Ahead is for results that were not asked for yet. It is granted by [Budget.Try] or not at
	// all, and may be held for as long as a consumer takes.
	Ahead
	kinds
)

// Budget is a hard bound on the memory of operations that share it: bytes that were fetched and are
// not decoded yet, encoded and not sent yet, and what decoding takes in between. Each piece of work
// reserves all it needs before it begins and asks for no more while it runs.
//
// Of the size, Index has 1/8. Task and Ahead share 7/8, of which Ahead has 4/8 at most. Waiters of
// one kind are served in order of arrival: the first is granted when it fits, or when nothing of
// its kind is held. The latter lets work that needs more than its share run, alone among its kind.
// So no more than
//
//	4/8 + max(1/8, the largest Index) + max(3/8, the largest Task)
//
// is ever reserved: the size, as long as no Task needs more than 3/8 of it and no Index more than
// 1/8. Buffers that lie idle count, and are dropped when what is reserved needs their room.
type Budget struct {
	size int64

	mu    sync.Mutex
	kinds [kinds]line
	held  int64 // sum over the kinds
	peak  int64
	idle  idle
}

// line is the state of one kind.
type line struct {
	used    int64
	holds   int // of more than no bytes
	waiting []*waiter
}

type waiter struct {
	n     int64
	hold  *Hold         // set before ready is closed
	ready chan struct{} // closed under Budget.mu
}

// NewBudget makes a budget of size bytes. With size < 1 one Task and one Index run at a time, and
// nothing runs ahead.
func NewBudget(size int64) *Budget { return &Budget{size: max(size, 0)} }

// Size is the number of bytes the budget allows.
func (b *Budget) Size() int64 { return b.size }

// Used is the number of bytes that are reserved now, and peak the most that were reserved or idle
// at once.
func (b *Budget) Used() (now, peak int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held, b.peak
}

// Acquire reserves n bytes for a Task or an Index and waits until they are granted; the error is
// the cause of ctx's end. n < 1 never waits. The caller must Release the hold, and must not acquire
// a second one of the same kind while it has it. What a Task holds must not depend on the end of
// other work that needs a Task or an Index. Acquire panics for Ahead, which may not wait.
func (b *Budget) Acquire(ctx context.Context, k Kind, n int64) (*Hold, error) {
	if k >= Ahead {
		panic("concurrency: Acquire is for Task and Index")
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	n = max(n, 0)
	b.mu.Lock()
	if b.free(k, n) {
		defer b.mu.Unlock()
		return b.grant(k, n), nil
	}
	l := &b.kinds[k]
	w := &waiter{n: n, ready: make(chan struct{})}
	l.waiting = append(l.waiting, w)
	b.mu.Unlock()

	select {
	case <-w.ready:
		return w.hold, nil
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if w.hold != nil { // granted in the meantime
		w.hold.release()
	} else {
		i := slices.Index(l.waiting, w)
		l.waiting = slices.Delete(l.waiting, i, i+1)
		b.wake() // w may have been what the others waited for
	}
	return nil, context.Cause(ctx)
}

// AcquireNow is Acquire where that does not wait; otherwise it reserves nothing and ok is false.
func (b *Budget) AcquireNow(k Kind, n int64) (h *Hold, ok bool) {
	if k >= Ahead {
		panic("concurrency: AcquireNow is for Task and Index")
	}
	n = max(n, 0)
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.free(k, n) {
		return nil, false
	}
	return b.grant(k, n), true
}

// free reports whether a Task or an Index gets n bytes without waiting.
func (b *Budget) free(k Kind, n int64) bool {
	l := &b.kinds[k]
	return n == 0 || len(l.waiting) == 0 && (l.holds == 0 || b.fits(k, n))
}

// Try reserves n bytes if they fit the share of k at once and nothing waits, of whatever kind. It
// is for what can be left out: results that were not asked for yet, a second attempt of a slow
// request.
func (b *Budget) Try(k Kind, n int64) (*Hold, bool) {
	n = max(n, 0)
	b.mu.Lock()
	defer b.mu.Unlock()
	if n > 0 {
		if !b.fits(k, n) {
			return nil, false
		}
		for i := range b.kinds {
			if len(b.kinds[i].waiting) > 0 {
				return nil, false
			}
		}
	}
	return b.grant(k, n), true
}

// fits reports whether n bytes more are within the share of a kind.
func (b *Budget) fits(k Kind, n int64) bool {
	eighth := func(n int64) int64 { return b.size/8*n + b.size%8*n/8 }
	task, index, ahead := b.kinds[Task].used, b.kinds[Index].used, b.kinds[Ahead].used
	switch k {
	case Index:
		return n <= eighth(1)-index
	case Ahead:
		return n <= eighth(4)-ahead && n <= eighth(7)-task-ahead
	default:
		return n <= eighth(7)-task-ahead
	}
}

// grant makes a hold. Idle buffers that there is no room for beside it go into it as far as they
// fit, for it is going to want some.
func (b *Budget) grant(k Kind, n int64) *Hold {
	h := &Hold{b: b, kind: k}
	if n > 0 {
		b.idle.wake()
		h.spare, h.spared = b.idle.move(n, b.held+n+b.idle.bytes()-b.size)
		h.set(n)
	}
	return h
}

// wake grants what can be granted now.
func (b *Budget) wake() {
	for k := Task; k < Ahead; k++ {
		l := &b.kinds[k]
		for len(l.waiting) > 0 && (l.holds == 0 || b.fits(k, l.waiting[0].n)) {
			w := l.waiting[0]
			l.waiting[0] = nil
			l.waiting = l.waiting[1:]
			w.hold = b.grant(k, w.n)
			close(w.ready)
		}
	}
}
