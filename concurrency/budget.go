package concurrency

import (
	"context"
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
	// Block is memory that is filled and stored by reads and writes while it is held, such as the
	// elements of a region that is copied. Who holds one may wait for an Index and for Tasks, but
	// never for a second Block.
	Block
	// Ahead is for results that were not asked for yet. It is granted by [Budget.Try] or not at
	// all, and may be held for as long as a consumer takes.
	Ahead
	kinds
)

// Budget is a hard bound on the memory of operations that share it: bytes that were fetched and are
// not decoded yet, encoded and not sent yet, and what decoding takes in between. Each piece of work
// reserves all it needs before it begins and asks for no more while it runs.
//
// Of the size, Index has 1/8. The other kinds share 7/8, of which Block and Ahead together have 5/8
// at most and Ahead 4/8. Waiters of one kind are served in order of arrival: the first is granted
// when it fits, or when nothing of its kind is held. The latter lets work that needs more than its
// share run, alone among its kind. A Block that has its share waits until the Tasks that were
// granted before it leave room for it, or have ended. So no more than
//
//	max(7/8, A + the largest Task) + max(1/8, the largest Index)
//
// is ever reserved, where A is 4/8, or with Blocks max(5/8, 4/8 + the largest Block): the size, as
// long as no Index needs more than 1/8, Tasks no more than 3/8, and with Blocks 2/8, and Blocks no
// more than what Ahead leaves of 5/8. Buffers that lie idle count, and are dropped when what is
// reserved needs their room.
//
// A budget may have children, see [Budget.Child]: the rules hold for each, and what is reserved in
// a child is reserved in its parent too.
type Budget struct {
	size   int64
	parent *Budget // nil at the root
	root   *Budget

	mu   sync.Mutex // of the root: for all budgets of the tree
	idle idle       // of the root, likewise

	kinds    [kinds]line
	settling []*waiter // Blocks that have their share, and wait for the Tasks that came before
	held     int64     // what was granted of all kinds
	peak     int64
}

// line is the state of one kind in one budget.
type line struct {
	used    int64
	holds   int // of more than no bytes
	waiting []*waiter
}

// waiter waits in one budget of a path to the root. In those below it its bytes are reserved.
type waiter struct {
	kind  Kind
	n     int64
	from  *Budget       // where the path begins
	in    *Budget       // whose line it is in
	hold  *Hold         // set before ready is closed
	ready chan struct{} // closed under the lock
}

// NewBudget makes a budget of size bytes. With size < 1 one Task, one Index and one Block run at a
// time, and nothing runs ahead.
func NewBudget(size int64) *Budget {
	b := &Budget{size: max(size, 0)}
	b.root = b
	return b
}

// Child makes a budget with a bound of its own, at most b's, whose reservations are reservations in
// b too. A waiter that fits the child waits in the line of its kind in b, behind those that came
// there before, whether they are b's own or of another child. Idle buffers are those of the root,
// so children use each other's.
//
// A budget and all below it are one budget for the rules about what may be held and waited for: who
// holds a Task of a child must not acquire one of its parent.
func (b *Budget) Child(size int64) *Budget {
	return &Budget{size: min(max(size, 0), b.size), parent: b, root: b.root}
}

// Size is the number of bytes the budget allows.
func (b *Budget) Size() int64 { return b.size }

// Used is the number of bytes that are reserved now, and peak the most that were reserved, or in a
// budget without a parent reserved or idle, at once.
func (b *Budget) Used() (now, peak int64) {
	b.root.mu.Lock()
	defer b.root.mu.Unlock()
	return b.held, b.peak
}

// Acquire reserves n bytes for a Task, an Index or a Block and waits until they are granted; the
// error is the cause of ctx's end. n < 1 never waits. The caller must Release the hold, and must
// not acquire a second one of the same kind while it has it. What a Task holds must not depend on
// the end of other work that needs a Task, an Index or a Block. Acquire panics for Ahead, which may
// not wait.
func (b *Budget) Acquire(ctx context.Context, k Kind, n int64) (*Hold, error) {
	if k >= Ahead {
		panic("concurrency: Acquire is not for Ahead")
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	n = max(n, 0)
	b.root.mu.Lock()
	if b.free(k, n) {
		defer b.root.mu.Unlock()
		return b.grant(k, n), nil
	}
	w := &waiter{kind: k, n: n, from: b, ready: make(chan struct{})}
	w.climb(b)
	b.root.mu.Unlock()

	select {
	case <-w.ready:
		return w.hold, nil
	case <-ctx.Done():
	}
	b.root.mu.Lock()
	defer b.root.mu.Unlock()
	if w.hold != nil { // granted in the meantime
		w.hold.release()
	} else {
		w.leave()
	}
	return nil, context.Cause(ctx)
}

// AcquireNow is Acquire where that does not wait; otherwise it reserves nothing and ok is false.
func (b *Budget) AcquireNow(k Kind, n int64) (h *Hold, ok bool) {
	if k >= Ahead {
		panic("concurrency: AcquireNow is not for Ahead")
	}
	n = max(n, 0)
	b.root.mu.Lock()
	defer b.root.mu.Unlock()
	if !b.free(k, n) {
		return nil, false
	}
	return b.grant(k, n), true
}

// Try reserves n bytes if they fit the share of k at once and nothing waits, of whatever kind, in
// the budget and those above it. It is for what can be left out: results that were not asked for
// yet, a second attempt of a slow request.
func (b *Budget) Try(k Kind, n int64) (*Hold, bool) {
	n = max(n, 0)
	b.root.mu.Lock()
	defer b.root.mu.Unlock()
	for at := b; n > 0 && at != nil; at = at.parent {
		if !at.fits(k, n) || !at.beside(k, n) || at.waits() {
			return nil, false
		}
	}
	return b.grant(k, n), true
}

// free reports whether n bytes are granted without waiting.
func (b *Budget) free(k Kind, n int64) bool {
	for at := b; n > 0 && at != nil; at = at.parent {
		if l := &at.kinds[k]; len(l.waiting) > 0 || l.holds > 0 && !at.fits(k, n) || !at.beside(k, n) {
			return false
		}
	}
	return true
}

// grant makes a hold of bytes that nothing waits for.
func (b *Budget) grant(k Kind, n int64) *Hold {
	for at := b; n > 0 && at != nil; at = at.parent {
		at.add(k, n, 1)
	}
	return b.hold(k, n)
}

// hold makes a hold of bytes that are reserved. Idle buffers that there is no room for beside it go
// into it as far as they fit, for it is going to want some.
func (b *Budget) hold(k Kind, n int64) *Hold {
	h := &Hold{b: b, kind: k, n: n, counted: n > 0}
	if r := b.root; n > 0 {
		r.idle.wake()
		b.hand(n)
		h.spare, h.spared = r.idle.move(n, r.held+r.idle.bytes()-r.size)
		h.settle()
		b.reach()
	}
	return h
}
