package zfp

import "encoding/binary"

// reader reads bits from the lowest to the highest of each byte. Bits beyond the end are 0; past
// reports whether any were read.
type reader struct {
	src []byte
	pos uint64 // in bits
}

// window is the number of bits that peek returns at least.
const window = 57

// peek returns the next bits, the first in the lowest place. It returns at least window bits, some
// of them beyond the end.
func (r *reader) peek() uint64 {
	if at := r.pos >> 3; at+8 <= uint64(len(r.src)) {
		return binary.LittleEndian.Uint64(r.src[at:]) >> (r.pos & 7)
	}
	return r.tail()
}

// tail is peek in the last bytes.
func (r *reader) tail() (u uint64) {
	for at, i := r.pos>>3, 0; i < 8 && at < uint64(len(r.src)); at, i = at+1, i+1 {
		u |= uint64(r.src[at]) << (8 * i)
	}
	return u >> (r.pos & 7)
}

// read returns the next n bits, at most 64.
func (r *reader) read(n uint) uint64 {
	if n <= window {
		u := r.peek() & (1<<n - 1)
		r.pos += uint64(n)
		return u
	}
	low := r.read(32)
	return low | r.read(n-32)<<32
}

// past reports whether bits beyond the end were read or skipped.
func (r *reader) past() bool { return r.pos > 8*uint64(len(r.src)) }
