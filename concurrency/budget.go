package concurrency

import (
	"context"
	"sync"
)

// Kind is the purpose of a reservation. It determines which other reservations its holder may wait
// for.
type Kind uint8

const (
	// Task is work that finishes without reserving more memory: a request and the decoding of its
	// response, or the write of a chunk. A Task waits only for other Tasks, which in turn wait only
	// for slots ([Slots], [CPU]), so every Task is granted eventually.
	Task Kind = iota
	// Index is memory for the index of one shard and for the data derived from that index. It is
	// held while the Tasks of that shard run, so the holder of an Index may wait for Tasks, but
	// never for a second Index.
	Index
	// Block is memory for elements, such as those of a copied region. It is held while reads fill
	// it and while writes store its contents. The holder of a Block may wait for an Index and for
	// Tasks, but never for a second Block.
	Block
	// Ahead is memory for results that are computed before they are requested. It is reserved only
	// by [Budget.Try], and may be held until a consumer takes the result, however long that takes.
	Ahead
	kinds
)

// Budget is a hard bound on the memory of the operations that share it: fetched bytes that are not
// decoded yet, encoded bytes that are not sent yet, and the buffers of decoding. Each piece of work
// reserves all the memory that it needs before it starts, and reserves no more while it runs.
//
// Index may use 1/8 of the size. The other kinds share the remaining 7/8. Block and Ahead together
// may use 5/8, and Ahead alone 4/8. Waiters of one kind are served in order of arrival. The first
// waiter is granted when it fits its share, or when no memory of its kind is held. Work that
// exceeds its share can therefore run, but alone among its kind. A Block that fits its share also
// waits until the Tasks granted before it have ended or leave enough memory for the Block. At any
// time at most
//
//	max(7/8, A + the largest Task) + max(1/8, the largest Index)
//
// is reserved, where A is 4/8 without Blocks and max(5/8, 4/8 + the largest Block) with Blocks.
// This equals the size as long as no Index exceeds 1/8, no Task exceeds 3/8 (2/8 with Blocks), and
// no Block exceeds the part of 5/8 that Ahead leaves. Idle buffers fill only memory that is not
// reserved: they are dropped when a reservation needs their bytes.
//
// A budget may have children ([Budget.Child]). The rules hold for each of them, and memory reserved
// in a child is also reserved in its parent.
type Budget struct {
	size   int64
	parent *Budget // nil for the root
	root   *Budget

	mu   sync.Mutex // of the root; guards all budgets of the tree
	idle idle       // of the root

	kinds    [kinds]line
	settling []*waiter // Blocks that are within their share and wait for earlier Tasks
	held     int64     // bytes granted, of all kinds
	peak     int64
}

// line holds the reservations and the waiters of one kind in one budget.
type line struct {
	used    int64
	holds   int // holds of more than 0 bytes
	waiting []*waiter
}

// waiter is a reservation that is not granted yet. It climbs from the budget of the request to the
// root, and waits in one budget at a time. Its bytes are already reserved in the budgets below that
// one.
type waiter struct {
	kind  Kind
	n     int64
	from  *Budget       // start of the path
	in    *Budget       // the budget where it waits
	hold  *Hold         // set before ready is closed
	ready chan struct{} // closed with mu held
}

// NewBudget returns a budget of size bytes. With size < 1 at most one Task, one Index and one Block
// run at a time, and Ahead is never granted.
func NewBudget(size int64) *Budget {
	b := &Budget{size: max(size, 0)}
	b.root = b
	return b
}

// Child returns a budget of size bytes, but at most b's size. Every reservation in the child is
// also a reservation in b. A waiter that fits the child then queues in b, behind all waiters of its
// kind that queue in b already. All budgets of a tree share the idle buffers of the root.
//
// For the rules on holding and waiting, a budget and its descendants count as one budget: the
// holder of a Task of a child must not acquire a Task of the parent.
func (b *Budget) Child(size int64) *Budget {
	return &Budget{size: min(max(size, 0), b.size), parent: b, root: b.root}
}

// Size returns the size of the budget in bytes.
func (b *Budget) Size() int64 { return b.size }

// Used returns the number of bytes reserved now, and the largest number reserved at any time. For a
// budget without a parent, peak includes idle buffers.
func (b *Budget) Used() (now, peak int64) {
	b.root.mu.Lock()
	defer b.root.mu.Unlock()
	return b.held, b.peak
}

// Acquire reserves n bytes for a Task, an Index or a Block and waits until they are granted. If ctx
// ends first, Acquire returns context.Cause(ctx). With n < 1, Acquire never waits.
//
// The caller must Release the hold, and must not acquire another hold of the same kind before that.
// A Task must not wait for other work that needs a Task, an Index or a Block. Acquire panics if k
// is Ahead, because Ahead must not wait.
func (b *Budget) Acquire(ctx context.Context, k Kind, n int64) (*Hold, error) {
	if k >= Ahead {
		panic("concurrency: Acquire of kind Ahead")
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
	if w.hold != nil { // granted concurrently
		w.hold.release()
	} else {
		w.leave()
	}
	return nil, context.Cause(ctx)
}

// AcquireNow is like [Budget.Acquire] but never waits. If Acquire would wait, AcquireNow reserves
// nothing and returns false.
func (b *Budget) AcquireNow(k Kind, n int64) (h *Hold, ok bool) {
	if k >= Ahead {
		panic("concurrency: AcquireNow of kind Ahead")
	}
	n = max(n, 0)
	b.root.mu.Lock()
	defer b.root.mu.Unlock()
	if !b.free(k, n) {
		return nil, false
	}
	return b.grant(k, n), true
}

// Try reserves n bytes if they fit the share of k now and no reservation of any kind waits in the
// budget or its ancestors. It is for optional work, such as results that are not requested yet or a
// second attempt of a slow request.
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

// free reports whether n bytes can be granted without waiting.
func (b *Budget) free(k Kind, n int64) bool {
	for at := b; n > 0 && at != nil; at = at.parent {
		if l := &at.kinds[k]; len(l.waiting) > 0 || l.holds > 0 && !at.fits(k, n) || !at.beside(k, n) {
			return false
		}
	}
	return true
}

// scarce reports whether work waits in b or in one of its ancestors, or more than an eighth of such
// a budget is held. In writes to a directory less is held, because a put is shorter than an
// encoding. The caller must hold b.root.mu.
func (b *Budget) scarce() bool {
	for at := b; at != nil; at = at.parent {
		if at.held > at.size/8 || len(at.settling) > 0 {
			return true
		}
		for k := range at.kinds {
			if len(at.kinds[k].waiting) > 0 {
				return true
			}
		}
	}
	return false
}

// grant reserves n bytes in the budget and its ancestors and returns the hold.
func (b *Budget) grant(k Kind, n int64) *Hold {
	for at := b; n > 0 && at != nil; at = at.parent {
		at.add(k, n, 1)
	}
	return b.hold(k, n)
}

// hold returns a hold of n reserved bytes. If the idle buffers then exceed the rest of the budget,
// hold moves those that fit into the new hold, because the owner of the hold is likely to use them.
func (b *Budget) hold(k Kind, n int64) *Hold {
	h := &Hold{b: b, kind: k, n: n, counted: n > 0}
	if r := b.root; n > 0 {
		r.idle.wake()
		b.addHeld(n)
		h.spare, h.spared = r.idle.move(n, r.held+r.idle.bytes()-r.size)
		h.settle()
		b.notePeak()
	}
	return h
}
