package zarr

import (
	"math/bits"
	"sync"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/codec"
)

// scratch is what a CPU slot carries from chunk to chunk: room for one decoded chunk, and the codecs' own buffers.
type scratch struct {
	codec codec.Scratch
	chunk []byte
}

// maxKept is the largest chunk buffer a slot keeps. A process that once read a huge chunk must not hold it for ever.
const maxKept = 64 << 20

func scratchOf(slot *concurrency.Slot) *scratch {
	s, ok := slot.Scratch.(*scratch)
	if !ok {
		s = &scratch{}
		slot.Scratch = s
	}
	return s
}

// room returns n bytes of undefined contents, valid until the next call.
func (s *scratch) room(n int) []byte {
	if cap(s.chunk) >= n {
		return s.chunk[:n]
	}
	b := make([]byte, n)
	if n <= maxKept {
		s.chunk = b
	}
	return b
}

// buffer is pooled memory for one encoded chunk.
type buffer struct{ b []byte }

// pools holds buffers by the power of two that their capacity reaches, so that small chunks do not keep large buffers.
var pools [32]sync.Pool

// getBuffer returns an empty buffer with a capacity of about n bytes, but no more than maxKept: n is an estimate that
// metadata made, and whoever learns the true size grows the buffer.
func getBuffer(n int64) *buffer {
	class := bits.Len64(uint64(max(min(n, maxKept), 1) - 1))
	if b, ok := pools[class].Get().(*buffer); ok {
		return b
	}
	return &buffer{make([]byte, 0, 1<<class)}
}

// putBuffer takes a buffer back; nothing may use its bytes any more.
func putBuffer(b *buffer) {
	class := bits.Len(uint(cap(b.b))) - 1 // the largest n with 1<<n ≤ cap
	if class < 9 || 1<<class > maxKept {
		return
	}
	b.b = b.b[:0]
	pools[class].Put(b)
}
