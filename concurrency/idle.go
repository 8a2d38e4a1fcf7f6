package concurrency

import (
	"cmp"
	"slices"
	"weak"

	"github.com/zargo-io/zargo/internal/hugepages"
)

// idle holds the buffers of a budget that nothing uses. While something is held of the budget, they
// are kept for what comes next. At rest the garbage collector may take them all.
type idle struct {
	kept    *buffers // nil at rest
	weakly  weak.Pointer[buffers]
	dropped int64 // bytes since the last collection for the sake of a Block
}

// worthGC is how many bytes of dropped buffers are collected before a Block makes another one. 32
// MiB: it happens a few times in a transfer, when its regions become larger.
const worthGC = 32 << 20

// maxSizes is how many capacities are listed before those without buffers leave the list.
const maxSizes = 64

// buffers are sorted by capacity.
type buffers struct {
	bytes int64
	sizes []*sized // shortest first
	clock uint64
}

type sized struct {
	size  int64
	free  [][]byte
	asked uint64 // when one was taken or asked for, by the clock
}

// wake makes the buffers that have outlived the rest usable again.
func (l *idle) wake() {
	if l.kept != nil {
		return
	}
	if l.kept = l.weakly.Value(); l.kept == nil {
		l.kept = &buffers{}
		l.weakly = weak.Make(l.kept)
	}
}

// rest lets go of the buffers.
func (l *idle) rest() { l.kept = nil }

func (l *idle) bytes() int64 {
	if l.kept == nil {
		return 0
	}
	return l.kept.bytes
}

// of is the list of the buffers of one capacity, which it makes if there is none.
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
	b.sizes[i].asked = b.clock
	return b.sizes[i]
}

// put takes buffers back.
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

// take gives a buffer of that capacity, or nil.
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

// fit drops buffers until they take no more than n bytes, first those of the capacity that was not
// asked for the longest.
func (l *idle) fit(n int64) {
	for b := l.kept; b != nil && b.bytes > max(n, 0); {
		var oldest *sized
		for _, s := range b.sizes {
			if len(s.free) > 0 && (oldest == nil || s.asked < oldest.asked) {
				oldest = s
			}
		}
		b.pop(oldest)
		l.dropped += oldest.size
	}
}

// stale reports whether as much was dropped as is worth a collection, and begins anew.
func (l *idle) stale() bool {
	if l.dropped < worthGC {
		return false
	}
	l.dropped = 0
	return true
}

// move takes buffers away that fit n bytes together, the longest first, until these are over bytes.
func (l *idle) move(n, over int64) (moved [][]byte, size int64) {
	for _, s := range slices.Backward(l.kept.sizes) {
		for len(s.free) > 0 && size < over && size+s.size <= n {
			moved = append(moved, l.kept.pop(s))
			size += s.size
		}
	}
	return moved, size
}

func bySize(s *sized, size int64) int { return cmp.Compare(s.size, size) }
