package zfp

import "encoding/binary"

// reader reads bits from the lowest to the highest of each byte. Bits beyond the end are 0. past
// reports whether any of these were read.
type reader struct {
	src  []byte // at least 8 bytes
	last uint64 // position of the last 8 bytes
	end  uint64 // in bits
	pos  uint64 // in bits
}

// window is the minimum number of bits that peek returns.
const window = 57

// newReader returns a reader of src. It copies src if it is very short.
func newReader(src []byte) reader {
	end := 8 * uint64(len(src))
	if len(src) < 8 {
		src = append(make([]byte, 0, 8), src...)[:8]
	}
	return reader{src: src, last: uint64(len(src)) - 8, end: end}
}

// peek returns the next bits, the first in the lowest place. It returns at least window bits, some
// of them beyond the end.
func (r *reader) peek() uint64 {
	at := min(r.pos>>3, r.last)
	return binary.LittleEndian.Uint64(r.src[at:]) >> (r.pos - at<<3)
}

// read returns the next n bits, at most 64.
func (r *reader) read(n uint) uint64 {
	if n <= window {
		u := r.peek() & (1<<n - 1)
		r.pos += uint64(n)
		return u
	}
	low := r.peek() & (1<<32 - 1)
	r.pos += 32
	high := r.peek() & (1<<(n-32) - 1)
	r.pos += uint64(n - 32)
	return low | high<<32
}

// past reports whether bits beyond the end were read or skipped.
func (r *reader) past() bool { return r.pos > r.end }
