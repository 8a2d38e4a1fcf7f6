package concurrency

import (
	"cmp"
	"slices"
	"weak"

	"github.com/zargo-io/zargo/internal/bits/hugepages"
)

// idle holds the unused buffers of a budget. While memory of the budget is reserved, they are kept
// for reuse. While nothing is reserved (at rest), the garbage collector may free them.
type idle struct {
	kept    *buffers // nil at rest
	weakly  weak.Pointer[buffers]
	dropped int64 // bytes dropped since the last collection that a Block forced
}

// worthGC is the number of dropped bytes that makes a garbage collection worthwhile. After that
// many, a Block runs one before it allocates another buffer. At 32 MiB, a transfer collects only a
// few times, while its regions grow.
const worthGC = 32 << 20

// maxSizes is the maximum length of the list buffers.sizes before unused capacities are removed
// from it.
const maxSizes = 64

// buffers holds idle buffers, grouped by capacity.
type buffers struct {
	bytes int64
	sizes []*sized // in ascending order
	clock uint64
}

// sized holds the idle buffers of one capacity.
type sized struct {
	size    int64
	free    [][]byte
	lastUse uint64 // value of buffers.clock at the last use
}

// wake keeps the buffers again after rest. If the garbage collector has freed them, wake starts
// with an empty set.
func (l *idle) wake() {
	if l.kept != nil {
		return
	}
	if l.kept = l.weakly.Value(); l.kept == nil {
		l.kept = &buffers{}
		l.weakly = weak.Make(l.kept)
	}
}

// rest allows the garbage collector to free the buffers.
func (l *idle) rest() { l.kept = nil }

func (l *idle) bytes() int64 {
	if l.kept == nil {
		return 0
	}
	return l.kept.bytes
}

// of returns the list of buffers of one capacity, and adds an empty list if there is none.
func (b *buffers) of(size int64) *sized {
	i, ok := slices.BinarySearchFunc(b.sizes, size, bySize)
	if !ok {
		if len(b.sizes) >= maxSizes {
			b.sizes = slices.DeleteFunc(b.sizes, func(s *sized) bool { return len(s.free) == 0 })
			i, _ = slices.BinarySearchFunc(b.sizes, size, bySize)
		}
		b.sizes = slices.Insert(b.sizes, i, &sized{size: size})
	}
	b.clock++
	b.sizes[i].lastUse = b.clock
	return b.sizes[i]
}

// put adds buffers of at least minIdle bytes and ignores shorter ones.
func (l *idle) put(bufs ...[]byte) {
	for _, buf := range bufs {
		if size := int64(cap(buf)); size >= minIdle {
			hugepages.Enough(buf[:size])
			s := l.kept.of(size)
			s.free = append(s.free, buf[:0])
			l.kept.bytes += size
		}
	}
}

// take removes and returns a buffer of exactly size bytes capacity, or returns nil.
func (l *idle) take(size int64) []byte {
	if size < minIdle {
		return nil
	}
	s := l.kept.of(size)
	if len(s.free) == 0 {
		return nil
	}
	return l.kept.pop(s)
}

func (b *buffers) pop(s *sized) []byte {
	buf := s.free[len(s.free)-1]
	s.free[len(s.free)-1] = nil
	s.free = s.free[:len(s.free)-1]
	b.bytes -= s.size
	return buf
}

// fit drops buffers until the rest have at most n bytes. It starts with those of the least recently
// used capacity.
func (l *idle) fit(n int64) {
	for b := l.kept; b != nil && b.bytes > max(n, 0); {
		var oldest *sized
		for _, s := range b.sizes {
			if len(s.free) > 0 && (oldest == nil || s.lastUse < oldest.lastUse) {
				oldest = s
			}
		}
		b.pop(oldest)
		l.dropped += oldest.size
	}
}

// stale reports whether enough bytes were dropped to make a garbage collection worthwhile. If so,
// stale resets the count of dropped bytes.
func (l *idle) stale() bool {
	if l.dropped < worthGC {
		return false
	}
	l.dropped = 0
	return true
}

// move removes and returns buffers, the longest first, until their total size is at least excess
// bytes. The total never exceeds n bytes.
func (l *idle) move(n, excess int64) (moved [][]byte, size int64) {
	for _, s := range slices.Backward(l.kept.sizes) {
		for len(s.free) > 0 && size < excess && size+s.size <= n {
			moved = append(moved, l.kept.pop(s))
			size += s.size
		}
	}
	return moved, size
}

func bySize(s *sized, size int64) int { return cmp.Compare(s.size, size) }
