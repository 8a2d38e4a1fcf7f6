package engine

import (
	"math/bits"
	"sync"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/pipeline"
)

// scratchOf is what a CPU slot carries from chunk to chunk.
func scratchOf(slot *concurrency.Slot) *pipeline.Scratch {
	s, ok := slot.Scratch.(*pipeline.Scratch)
	if !ok {
		s = &pipeline.Scratch{}
		slot.Scratch = s
	}
	return s
}

// maxKept is the largest buffer that is kept. A process that once read a huge chunk must not hold it for ever.
const maxKept = 64 << 20

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
