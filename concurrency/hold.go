package concurrency

import (
	"math/bits"
	"runtime"
	"slices"

	"github.com/zargo-io/zargo/internal/bits/hugepages"
)

// Hold is memory reserved for one piece of work. It must be released exactly once.
type Hold struct {
	b    *Budget
	kind Kind

	// Guarded by b.root.mu:
	n       int64        // bytes reserved
	counted bool         // the hold is counted in line.holds
	out     [][]byte     // buffers in use
	used    int64        // part of n: capacities of out and of buffers being allocated
	spare   [][]byte     // idle buffers that exceed the budget beside this hold
	spared  int64        // capacities of spare; used + spared ≤ n
	inline  [2][4][]byte // storage for short lists
}

// minIdle is the smallest capacity of buffers that are kept for reuse.
const minIdle = 64

// Need returns the number of bytes of a hold that Buffer(n) uses. Need rounds n up to a multiple of
// an eighth of the largest power of two below n, so that a buffer can be reused for a chunk of
// similar length. For n up to 64, Need returns n.
func Need(n int) int64 {
	if n <= minIdle {
		return int64(max(n, 0))
	}
	step := int64(1) << (bits.Len64(uint64(n-1)) - 4)
	return (int64(n) + step - 1) / step * step
}

// Buffer returns a slice of length 0, a capacity of at least n bytes and undefined contents. The
// slice is an idle buffer of the budget, or a new one. The hold owns the buffer until Release.
//
// Buffer uses [Need](n) of the held bytes, or all remaining bytes if fewer remain. If fewer than n
// remain, Buffer still returns a buffer, and the hold grows by the missing bytes without waiting.
// The budget therefore keeps its bound only if work reserves enough.
func (h *Hold) Buffer(n int) []byte {
	if n <= 0 {
		return nil
	}
	h.b.root.mu.Lock()
	buf, size := h.take(int64(n), Need(n))
	collect := buf == nil && h.kind == Block && h.b.root.idle.stale()
	h.b.root.mu.Unlock()
	if collect { // otherwise the dropped buffers remain in the heap beside the new one
		runtime.GC()
	}
	if buf == nil { // counted already: allocate and clear without the lock
		buf = make([]byte, 0, size)
		hugepages.Want(buf[:size])
		h.b.root.mu.Lock()
		h.track(buf)
		h.b.root.mu.Unlock()
	}
	return buf
}

// take counts a buffer of need bytes as used. If fewer bytes of the hold remain, take counts those,
// but at least n. take returns an idle buffer of exactly the counted capacity, or nil if there is
// none, and that capacity.
func (h *Hold) take(n, need int64) ([]byte, int64) {
	size := max(min(need, h.n-h.used), n)
	h.used += size
	if h.used > h.n {
		h.set(h.used)
	}
	i := slices.IndexFunc(h.spare, func(b []byte) bool { return int64(cap(b)) == size })
	if i >= 0 {
		buf := h.spare[i]
		h.spare = slices.Delete(h.spare, i, i+1)
		h.spared -= size
		h.track(buf)
		return buf, size
	}
	buf := h.b.root.idle.take(size)
	if buf != nil {
		h.track(buf)
	}
	h.settle()
	return buf, size
}

// track adds buf to the buffers in use.
func (h *Hold) track(buf []byte) {
	if h.out == nil {
		h.out = h.inline[0][:0]
	}
	h.out = append(h.out, buf)
}

// Trim shrinks the hold to the bytes of buf, a slice at the start of one of its buffers, and
// returns these bytes. Trim copies them to a shorter buffer if that saves a quarter of the memory,
// the hold has enough bytes for the copy, and the budget is scarce: work waits, or more than an
// eighth of the budget is held. Otherwise it returns buf. Trim is for encoded bytes that are about
// to be sent. The caller must not use any other buffer of the hold afterwards.
func (h *Hold) Trim(buf []byte) []byte {
	h.b.root.mu.Lock()
	i := find(h.out, buf)
	if i < 0 {
		h.b.root.mu.Unlock()
		return buf
	}
	long := h.out[i]
	h.b.root.idle.put(slices.Delete(h.out, i, i+1)...)
	h.out = append(h.out[:0], long)
	h.used = int64(cap(long))
	h.settle()
	copied := Need(len(buf)) <= h.used/4*3 && h.used+Need(len(buf)) <= h.n && h.b.scarce()
	h.b.root.mu.Unlock()

	if copied {
		buf = append(h.Buffer(len(buf)), buf...)
	}
	h.b.root.mu.Lock()
	defer h.b.root.mu.Unlock()
	if copied {
		h.out = slices.Delete(h.out, 0, 1)
		h.used -= int64(cap(long))
		h.b.root.idle.put(long)
	}
	h.set(h.used)
	h.b.wake()
	return buf
}

// Shrink reduces the hold to n bytes, but not below the total capacity of its buffers in use. It
// never grows the hold.
func (h *Hold) Shrink(n int64) {
	h.b.root.mu.Lock()
	defer h.b.root.mu.Unlock()
	if n = max(n, h.used); n < h.n {
		h.set(n)
		h.b.wake()
	}
}

// Adopt makes buf, which was allocated elsewhere, a buffer of the hold, unless it already is one.
// Adopt is for buffers that a store or append had to reallocate. The hold grows if needed, without
// waiting.
func (h *Hold) Adopt(buf []byte) {
	h.b.root.mu.Lock()
	defer h.b.root.mu.Unlock()
	if cap(buf) == 0 || find(h.out, buf) >= 0 {
		return
	}
	h.track(buf[:0])
	h.used += int64(cap(buf))
	h.set(max(h.n, h.used))
}

// Put returns a buffer to the hold, so that the next call of Buffer can reuse it. Its bytes remain
// reserved. The caller must not use the buffer afterwards.
func (h *Hold) Put(buf []byte) {
	h.b.root.mu.Lock()
	defer h.b.root.mu.Unlock()
	if i := find(h.out, buf); i >= 0 {
		size := int64(cap(h.out[i]))
		if h.spare == nil {
			h.spare = h.inline[1][:0]
		}
		h.spare = append(h.spare, h.out[i])
		h.out = slices.Delete(h.out, i, i+1)
		h.used -= size
		h.spared += size
	}
}

// Detach transfers ownership of buf, a slice at the start of a buffer of the hold, to the caller.
// The hold shrinks by the capacity of the buffer and does not reuse it. Detach is for results that
// share memory with fetched bytes.
func (h *Hold) Detach(buf []byte) {
	h.b.root.mu.Lock()
	defer h.b.root.mu.Unlock()
	if i := find(h.out, buf); i >= 0 {
		size := int64(cap(h.out[i]))
		hugepages.Enough(h.out[i][:size])
		h.out = slices.Delete(h.out, i, i+1)
		h.used -= size
		h.set(h.n - size)
		h.b.wake()
	}
}

// Release releases the reserved bytes and the buffers. The caller must not use the buffers
// afterwards.
func (h *Hold) Release() {
	h.b.root.mu.Lock()
	defer h.b.root.mu.Unlock()
	h.release()
}

// release is Release for callers that hold the lock. It wakes waiters before it drops idle buffers,
// because a waiter may reuse such a buffer, even one that is longer than the budget.
func (h *Hold) release() {
	r := h.b.root
	if h.counted {
		h.counted = false
		h.change(-h.n, -1)
		r.idle.put(h.out...)
		r.idle.put(h.spare...)
	}
	h.n, h.used, h.spared = 0, 0, 0
	h.out, h.spare, h.inline = nil, nil, [2][4][]byte{}
	h.b.wake()
	r.fit()
	if r.held == 0 {
		r.idle.rest()
	}
}

// set changes the size of the hold to n bytes.
func (h *Hold) set(n int64) {
	holds := 0
	if n > 0 && !h.counted {
		h.counted, holds = true, 1
		h.b.root.idle.wake()
	}
	h.change(n-h.n, holds)
	h.n = n
	h.settle()
	h.b.notePeak()
}

// change adds n to the reserved bytes of the budget and its ancestors, and the argument holds to
// their number of holds. Both arguments may be negative.
func (h *Hold) change(n int64, holds int) {
	for at := h.b; at != nil; at = at.parent {
		at.add(h.kind, n, holds)
	}
	h.b.addHeld(n)
}

// settle moves spare buffers of the hold to the idle buffers until the rest fits the hold, and
// drops idle buffers that exceed the budget.
func (h *Hold) settle() {
	for i := len(h.spare); i > 0 && h.used+h.spared > h.n; i-- {
		buf := h.spare[i-1]
		h.spare = slices.Delete(h.spare, i-1, i)
		h.spared -= int64(cap(buf))
		h.b.root.idle.put(buf)
	}
	h.b.root.fit()
}

// fit drops idle buffers of a root budget until the reserved bytes and the idle buffers together
// fit the size of the budget.
func (b *Budget) fit() { b.idle.fit(b.size - b.held) }

// find returns the index of the buffer that starts where buf starts, or -1.
func find(bufs [][]byte, buf []byte) int {
	if cap(buf) == 0 {
		return -1
	}
	return slices.IndexFunc(bufs, func(b []byte) bool { return &b[:1][0] == &buf[:1][0] })
}
