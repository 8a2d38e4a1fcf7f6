package walk

import (
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/zargo-io/zargo/concurrency"
)

// Options configures [Read].
type Options struct {
	// Ahead is the maximum number of boxes that are read ahead of the one that the loop waits for.
	Ahead    int
	AnyOrder bool // yield a box as soon as it has been read; the default is the order of the boxes

	// Budget is the memory that the walk shares with other work; nil does not bound the memory. By
	// default the walk reserves the memory of the boxes that the loop has not reached.
	Budget *concurrency.Budget
	Need   func(Box) int64 // memory of a box in bytes
	// Held keeps the memory of a box reserved until the loop requests the next box. The body of the
	// loop must not run another walk with Held in the same budget, because each would wait for the
	// other.
	Held bool
	// Bytes, if not 0, sets Held, and limits the boxes in memory to a child of the budget: boxes of
	// together at most Bytes bytes, or one larger box.
	Bytes int64
}

// Read calls read for each box, ahead of the loop, and yields the results. It yields the first
// error and ends. It waits for all calls when the loop ends.
func Read[V any](ctx context.Context, o Options, boxes iter.Seq[Box], read func(context.Context, Box) (V, error)) iter.Seq2[V, error] {
	in := concurrency.ReadAhead[Box]{
		Most: max(o.Ahead, 0), AnyOrder: o.AnyOrder, Memory: o.Budget, Held: o.Held, Need: o.Need,
	}
	if o.Bytes > 0 {
		in.Memory, in.Held = child(o.Budget, o.Bytes), true
	}
	return concurrency.Results(ctx, in, boxes, read)
}

// child returns a child of a budget whose Blocks may use n bytes: 5/8 of its size.
func child(b *concurrency.Budget, n int64) *concurrency.Budget { return b.Child(n/5*8 + 8) }

// Buffers are the buffers of boxes that the loop has finished with. They avoid page faults and
// garbage. The zero Buffers is empty.
type Buffers[T any] struct {
	mu      sync.Mutex
	longest int // of all calls of Take
	idle    [][]T
}

// Take returns an unused buffer of n elements. Without one, it returns nil, and the capacity that
// suffices for all calls so far.
func (b *Buffers[T]) Take(n int) (buf []T, room int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.longest = max(b.longest, n)
	if i := slices.IndexFunc(b.idle, func(buf []T) bool { return cap(buf) >= n }); i >= 0 {
		buf = b.idle[i][:n]
		b.idle = slices.Delete(b.idle, i, i+1)
		return buf, n
	}
	b.idle = nil // too short for this box, and probably for later ones
	return nil, b.longest
}

// Make returns an unused buffer or a new one.
func (b *Buffers[T]) Make(n int) []T {
	buf, room := b.Take(n)
	if buf == nil {
		buf = make([]T, n, room)
	}
	return buf
}

// Put adds a buffer that is no longer used.
func (b *Buffers[T]) Put(buf []T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.idle = append(b.idle, buf)
}
