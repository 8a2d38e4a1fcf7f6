package pipeline

import "github.com/zargo-io/zargo/zarr/codec"

// Scratch is memory that is used again from chunk to chunk: room for one decoded chunk, and the codecs' own buffers. The zero
// Scratch is ready. It belongs to one goroutine at a time, as whoever holds a CPU slot.
type Scratch struct {
	codec codec.Scratch
	chunk []byte
	steps []codec.Step
}

// maxKept is the largest chunk buffer that is kept. A process that once read a huge chunk must not hold it for ever.
const maxKept = 64 << 20

// room returns n bytes of undefined contents, valid until the next call.
func (s *Scratch) room(n int) []byte {
	if cap(s.chunk) >= n {
		return s.chunk[:n]
	}
	b := make([]byte, n)
	if n <= maxKept {
		s.chunk = b
	}
	return b
}
