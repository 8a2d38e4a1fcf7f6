package concurrency

import (
	"math/bits"
	"runtime"
	"slices"

	"github.com/zargo-io/zargo/internal/hugepages"
)

// Hold is memory that was reserved for one piece of work. It must be released once.
type Hold struct {
	b    *Budget
	kind Kind

	// Under b.mu:
	n       int64        // bytes held
	counted bool         // among the holds of its kind
	out     [][]byte     // buffers that were given
	used    int64        // of n, their capacities and those of buffers that are being made
	spare   [][]byte     // idle buffers that there was no room for beside this hold
	spared  int64        // their capacities; used + spared ≤ n
	inline  [2][4][]byte // room for short lists
}

// minIdle is the shortest buffer that is kept for the next.
const minIdle = 64

// Need is how many bytes of a hold Buffer(n) takes: n rounded up to a multiple of an eighth of the
// power of two below it, so that a buffer fits the next chunk of about the same length. Up to 64 it
// is n.
func Need(n int) int64 {
	if n <= minIdle {
		return int64(max(n, 0))
	}
	step := int64(1) << (bits.Len64(uint64(n-1)) - 4)
	return (int64(n) + step - 1) / step * step
}

// Buffer gives memory of length 0 and a capacity of at least n bytes, with undefined contents: one
// that lay idle in the budget, or a new one. It is the hold's until Release, which takes it back.
// It takes [Need](n) of what is held, or n if no more is left. If even that is not left, it is
// given all the same and counted at once: the bound of a budget holds for work that reserves what
// it needs.
func (h *Hold) Buffer(n int) []byte {
	if n <= 0 {
		return nil
	}
	h.b.root.mu.Lock()
	buf, size := h.take(int64(n), Need(n))
	collect := buf == nil && h.kind == Block && h.b.root.idle.stale()
	h.b.root.mu.Unlock()
	if collect { // else they would be there beside the new one, whatever limit the heap has
		runtime.GC()
	}
	if buf == nil { // it is counted; memory is made, and cleared, without the lock
		buf = make([]byte, 0, size)
		hugepages.Want(buf[:size])
		h.b.root.mu.Lock()
		h.give(buf)
		h.b.root.mu.Unlock()
	}
	return buf
}

// take counts a buffer of n bytes, better of need, and gives an idle one of that capacity, or nil
// and the capacity.
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
		h.give(buf)
		return buf, size
	}
	buf := h.b.root.idle.take(size)
	if buf != nil {
		h.give(buf)
	}
	h.settle()
	return buf, size
}

func (h *Hold) give(buf []byte) {
	if h.out == nil {
		h.out = h.inline[0][:0]
	}
	h.out = append(h.out, buf)
}

// Trim gives back all that is held but the bytes of buf, a slice at the start of a buffer of the
// hold, and returns these: in a shorter buffer where that saves a quarter and there is room for the
// copy, else in the same. It is for what was encoded and is going to be sent. No other buffer of
// the hold may be used any more.
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
	copied := Need(len(buf)) <= h.used/4*3 && h.used+Need(len(buf)) <= h.n
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

// Shrink gives back what is held beyond n bytes, or beyond the buffers that were given if these are
// more. It never grows.
func (h *Hold) Shrink(n int64) {
	h.b.root.mu.Lock()
	defer h.b.root.mu.Unlock()
	if n = max(n, h.used); n < h.n {
		h.set(n)
		h.b.wake()
	}
}

// Adopt makes buf, which was made elsewhere, a buffer of the hold, if it is not one already: a
// store or an append had too little room.
func (h *Hold) Adopt(buf []byte) {
	h.b.root.mu.Lock()
	defer h.b.root.mu.Unlock()
	if cap(buf) == 0 || find(h.out, buf) >= 0 {
		return
	}
	h.give(buf[:0])
	h.used += int64(cap(buf))
	h.set(max(h.n, h.used))
}

// Put takes a buffer back before Release, for the next call of Buffer. It stays reserved. Nothing
// may use it any more.
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

// Detach makes buf, a slice at the start of a buffer of the hold, memory of the caller's: it is not
// counted any more and not taken back. It is for results that lie in what was fetched.
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

// Release gives back what is held, and the buffers, which nothing may use any more.
func (h *Hold) Release() {
	h.b.root.mu.Lock()
	defer h.b.root.mu.Unlock()
	h.release()
}

// release is Release under the lock. Waiters come before idle buffers are dropped: they may use
// them, also one that is longer than the budget.
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

// set makes the hold one of n bytes.
func (h *Hold) set(n int64) {
	holds := 0
	if n > 0 && !h.counted {
		h.counted, holds = true, 1
		h.b.root.idle.wake()
	}
	h.change(n-h.n, holds)
	h.n = n
	h.settle()
	h.b.reach()
}

// change counts what a hold has, more or less, in its budget and all above it.
func (h *Hold) change(n int64, holds int) {
	for at := h.b; at != nil; at = at.parent {
		at.add(h.kind, n, holds)
	}
	h.b.hand(n)
}

// settle puts buffers in reserve that are not within what is held any more among the idle ones, and
// drops of these what there is no room for.
func (h *Hold) settle() {
	for i := len(h.spare); i > 0 && h.used+h.spared > h.n; i-- {
		buf := h.spare[i-1]
		h.spare = slices.Delete(h.spare, i-1, i)
		h.spared -= int64(cap(buf))
		h.b.root.idle.put(buf)
	}
	h.b.root.fit()
}

// fit drops idle buffers that there is no room for in a root beside what is reserved.
func (b *Budget) fit() { b.idle.fit(b.size - b.held) }

// find is the index of the buffer at whose start buf starts, or -1.
func find(bufs [][]byte, buf []byte) int {
	if cap(buf) == 0 {
		return -1
	}
	return slices.IndexFunc(bufs, func(b []byte) bool { return &b[:1][0] == &buf[:1][0] })
}
