package codec

// Scratch is memory that a Chain uses again from chunk to chunk. The zero value is ready. It belongs to one goroutine
// at a time and may serve any number of chains.
type Scratch struct {
	bytes  [2][]byte   // encoded forms between two codecs
	blocks [2][]byte   // arrays between two codecs
	items  [2][][]byte // the same for elements that vary in length
}

// maxKept is the largest buffer that is kept. A process that once met a huge chunk must not hold its size for ever.
const maxKept = 64 << 20

// keep takes back a buffer that was taken as s.bytes[i][:0] and may have grown.
func (s *Scratch) keep(i int, b []byte) {
	if cap(b) <= maxKept {
		s.bytes[i] = b[:0]
	}
}

// block is room for an array of n bytes or, for elements that vary, of that many items; contents are undefined.
func (s *Scratch) block(i int, r stage) Block {
	if r.items {
		if cap(s.items[i]) < r.elems {
			s.items[i] = make([][]byte, r.elems)
		}
		return Block{Items: s.items[i][:r.elems]}
	}
	if cap(s.blocks[i]) >= r.bytes {
		return Block{Bytes: s.blocks[i][:r.bytes:r.bytes]}
	}
	b := make([]byte, r.bytes)
	if r.bytes <= maxKept {
		s.blocks[i] = b
	}
	return Block{Bytes: b}
}
