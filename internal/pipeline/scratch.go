package pipeline

import "github.com/zargo-io/zargo/zarr/codec"

// Scratch is memory for one chunk after another: room for the decoded chunk, and the codecs' own
// buffers. The zero Scratch is ready. It belongs to one goroutine at a time, the one that holds a
// CPU slot.
type Scratch struct {
	codec  codec.Scratch
	lend   func(n int) []byte
	chunk  []byte
	values []byte // of one field
	steps  []codec.Step
}

// Lend makes the Scratch take what may be as large as a chunk from buffer, which gives memory of
// length 0 with room for n bytes, until Free: of one chunk no more than [Chunk.DecodeRoom] and
// [Chunk.EncodeRoom] say.
func (s *Scratch) Lend(buffer func(n int) []byte) { s.lend = buffer }

// of is the codecs' part, for a chunk. What elements that vary in length take is not known before,
// and not lent.
func (s *Scratch) of(c *Chunk) *codec.Scratch {
	s.codec.Buffer = s.lend
	if c.options.varies {
		s.codec.Buffer = nil
	}
	return &s.codec
}

// Free lets go of what was lent, which may then be used for something else.
func (s *Scratch) Free() {
	s.codec.Free()
	s.chunk, s.values = nil, nil
}

// maxKept is the largest decoded chunk whose stored bytes are not looked at before there is room
// for it, and of which memory that was not lent is kept: a process that once read a huge chunk must
// not hold it for ever.
const maxKept = 64 << 20

// room returns n bytes of undefined contents, valid until the next call.
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
