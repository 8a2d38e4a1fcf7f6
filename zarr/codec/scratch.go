package codec

import "weak"

// Scratch is what a Chain needs beside the chunk and its stored bytes, and uses again from chunk to
// chunk. The zero value is ready. It belongs to one goroutine at a time and may serve any number of
// chains.
type Scratch struct {
	// Buffer gives memory of length 0 and a capacity of n bytes or more, whose contents are
	// undefined, for what may be as large as a chunk: at most the bytes that [Chain.Room] and
	// [Chain.EncodeRoom] say, until Free is called. Where it is nil, the Scratch makes such memory
	// itself, and keeps up to 64 MiB of each kind.
	Buffer func(n int) []byte

	own    *buffers // kept; nil before the first use, and at rest
	rested weak.Pointer[buffers]
	lent   buffers
	items  [3][][]byte // arrays between two codecs of elements that vary in length
	steps  []Step      // axes of boxes, one after another
	inner  *Scratch    // of chunks within shards
}

// buffers are what chunk-sized memory is for.
type buffers struct {
	bytes  [2][]byte // encoded forms between two codecs
	blocks [3][]byte // arrays between two codecs
}

// maxKept is the largest buffer that is kept. A process that once met a huge chunk must not hold
// its size for ever.
const maxKept = 64 << 20

// Free lets go of all that Buffer gave, which may then be used for something else. What the Scratch
// made itself it uses again, unless the garbage collector takes it first.
func (s *Scratch) Free() {
	s.lent = buffers{}
	if s.own != nil {
		s.rested, s.own = weak.Make(s.own), nil
	}
	if s.inner != nil {
		s.inner.Free()
	}
}

// kept are the buffers that the Scratch made itself.
func (s *Scratch) kept() *buffers {
	if s.own == nil {
		if s.own = s.rested.Value(); s.own == nil {
			s.own = &buffers{}
		}
	}
	return s.own
}

// axes gives memory for the axes of a box, until the next call of a Chain.
func (s *Scratch) axes(n int) []Step {
	if len(s.steps)+n > cap(s.steps) {
		s.steps = make([]Step, 0, max(32, 2*n))
	}
	k := len(s.steps)
	s.steps = s.steps[:k+n]
	return s.steps[k : k+n : k+n]
}

// whole is a box that is all of an array.
func (s *Scratch) whole(b Block, st stage) Strided {
	return whole(b, s.axes(len(st.shape)), st.shape, st.size)
}

// take gives memory for an encoded form, of length 0: with a capacity of n bytes where Buffer is
// set and n is known, else what there is.
func (s *Scratch) take(i int, n int64) []byte {
	switch {
	case s.Buffer == nil:
		return s.kept().bytes[i][:0]
	case n < 0:
		return nil
	}
	return s.lend(&s.lent.bytes[i], int(n))[:0]
}

// keep takes back what take gave, which may have grown.
func (s *Scratch) keep(i int, b []byte) {
	if s.Buffer == nil && cap(b) <= maxKept {
		s.kept().bytes[i] = b[:0]
	}
}

// lend gives n bytes of Buffer's memory.
func (s *Scratch) lend(b *[]byte, n int) []byte {
	if cap(*b) < n {
		*b = s.Buffer(n)
	}
	return (*b)[:n:n]
}

// block is room for an array; contents are undefined.
func (s *Scratch) block(i int, r stage) Block {
	switch {
	case r.items:
		if cap(s.items[i]) < r.elems {
			s.items[i] = make([][]byte, r.elems)
		}
		return Block{Items: s.items[i][:r.elems]}
	case s.Buffer != nil:
		return Block{Bytes: s.lend(&s.lent.blocks[i], r.bytes)}
	case cap(s.kept().blocks[i]) >= r.bytes:
		return Block{Bytes: s.own.blocks[i][:r.bytes:r.bytes]}
	}
	b := make([]byte, r.bytes)
	if r.bytes <= maxKept {
		s.own.blocks[i] = b
	}
	return Block{Bytes: b}
}

// within is the Scratch of chunks within a shard.
func (s *Scratch) within() *Scratch {
	if s.inner == nil {
		s.inner = &Scratch{}
	}
	s.inner.Buffer = s.Buffer
	return s.inner
}
