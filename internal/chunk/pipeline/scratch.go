package pipeline

import "github.com/zargo-io/zargo/zarr/codec"

// Scratch is memory that is reused from chunk to chunk, for the decoded chunk and the buffers of
// the codecs. The zero Scratch is ready to use. It must be used by one goroutine at a time: the
// goroutine that holds a CPU slot.
type Scratch struct {
	codec  codec.Scratch
	lend   func(n int) []byte
	chunk  []byte
	values []byte // values of one field
	used   []byte // a box that Memory.Use receives
	steps  []codec.Step
}

// Lend sets the allocator for memory that may be as large as a chunk. It is used until Free is
// called. buffer returns memory of length 0 and capacity n. Decoding a chunk takes at most
// [Chunk.DecodeRoom] bytes of such memory, and encoding at most [Chunk.EncodeRoom] bytes.
func (s *Scratch) Lend(buffer func(n int) []byte) { s.lend = buffer }

// of returns the scratch memory of the codecs for a chunk. If elements vary in length, the
// allocator of Lend is not used, because the necessary memory is not known beforehand.
func (s *Scratch) of(c *Chunk) *codec.Scratch {
	s.codec.Buffer = s.lend
	if c.options.varies {
		s.codec.Buffer = nil
	}
	return &s.codec
}

// Free drops the memory that the allocator of Lend returned. The caller may then reuse that memory.
func (s *Scratch) Free() {
	s.codec.Free()
	s.chunk, s.values, s.used = nil, nil, nil
}

// maxKept is the maximum length of memory that a Scratch retains without the allocator of Lend. A
// process that reads one huge chunk therefore does not retain its memory. For chunks longer than
// maxKept, the number of stored bytes is checked before memory is allocated.
const maxKept = 64 << 20

// room returns n bytes with undefined contents, valid until the next call.
func (s *Scratch) room(n int) []byte { return s.grown(&s.chunk, n) }

func (s *Scratch) grown(b *[]byte, n int) []byte {
	if cap(*b) >= n {
		return (*b)[:n]
	}
	if s.lend != nil {
		*b = s.lend(n)
		return (*b)[:n]
	}
	made := make([]byte, n)
	if n <= maxKept {
		*b = made
	}
	return made
}
