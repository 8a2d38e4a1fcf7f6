package codec

import "weak"

// Scratch holds the buffers that a Chain uses besides the chunk and its stored bytes, and reuses
// them for the next chunk. The zero value is ready to use. A Scratch must be used by one goroutine
// at a time. It may serve any number of chains.
type Scratch struct {
	// Buffer returns memory of length 0 and a capacity of at least n bytes, with undefined
	// contents. The Chain calls it for buffers that may be as large as a chunk. Until Free is
	// called, the requests add up to at most the number that [Chain.Room] or [Chain.EncodeRoom]
	// returns. If Buffer is nil, the Scratch allocates its buffers, and keeps each of up to 64 MiB.
	Buffer func(n int) []byte

	own    *buffers // allocated buffers; nil before the first use and after Free
	rested weak.Pointer[buffers]
	lent   buffers
	items  [3][][]byte // slices for elements of varying length between two codecs
	steps  []Step      // axes of boxes, concatenated
	inner  *Scratch    // for inner chunks of shards
}

// buffers are the chunk-sized buffers of a Scratch.
type buffers struct {
	bytes  [2][]byte // encoded forms between two codecs
	blocks [3][]byte // arrays between two codecs
}

// maxKept is the size of the largest buffer that is kept for reuse. The limit ensures that one huge
// chunk does not occupy memory forever.
const maxKept = 64 << 20

// Free releases all memory that Buffer returned, which the caller may then reuse. The Scratch keeps
// the buffers that it allocated itself, until the garbage collector frees them.
func (s *Scratch) Free() {
	s.lent = buffers{}
	if s.own != nil {
		s.rested, s.own = weak.Make(s.own), nil
	}
	if s.inner != nil {
		s.inner.Free()
	}
}

// kept returns the buffers that the Scratch allocates. It creates them on the first call, and again
// after the garbage collector freed them.
func (s *Scratch) kept() *buffers {
	if s.own == nil {
		if s.own = s.rested.Value(); s.own == nil {
			s.own = &buffers{}
		}
	}
	return s.own
}

// axes returns n axes of a box in memory of s. They are valid until the next call of a Chain.
func (s *Scratch) axes(n int) []Step {
	if len(s.steps)+n > cap(s.steps) {
		s.steps = make([]Step, 0, max(32, 2*n))
	}
	k := len(s.steps)
	s.steps = s.steps[:k+n]
	return s.steps[k : k+n : k+n]
}

// whole returns the box of a whole array. The memory of its axes belongs to s.
func (s *Scratch) whole(b Block, st stage) Strided {
	return whole(b, s.axes(len(st.shape)), st.shape, st.size)
}

// take returns a buffer of length 0 for an encoded form. Its capacity is n bytes if Buffer is set
// and n is known. Otherwise the capacity is arbitrary.
func (s *Scratch) take(i int, n int64) []byte {
	switch {
	case s.Buffer == nil:
		return s.kept().bytes[i][:0]
	case n < 0:
		return nil
	}
	return s.lend(&s.lent.bytes[i], int(n))[:0]
}

// keep stores b in s for reuse. The caller got b from take, and may have reallocated it since.
func (s *Scratch) keep(i int, b []byte) {
	if s.Buffer == nil && cap(b) <= maxKept {
		s.kept().bytes[i] = b[:0]
	}
}

// lend returns n bytes of memory. It uses *b if that is large enough. Otherwise it sets *b to
// memory from Buffer.
func (s *Scratch) lend(b *[]byte, n int) []byte {
	if cap(*b) < n {
		*b = s.Buffer(n)
	}
	return (*b)[:n:n]
}

// block returns a buffer for an array, with undefined contents.
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

// within returns the Scratch for encoding and decoding the inner chunks of a shard.
func (s *Scratch) within() *Scratch {
	if s.inner == nil {
		s.inner = &Scratch{}
	}
	s.inner.Buffer = s.Buffer
	return s.inner
}
