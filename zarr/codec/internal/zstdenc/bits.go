package zstdenc

import (
	"encoding/binary"
	"math/bits"
)

// bitWriter writes bit fields to out, with the lowest bit first. The caller must allocate 8 bytes
// of out beyond the bytes that are written.
type bitWriter struct {
	out []byte
	at  int
	acc uint64
	n   uint // number of bits in acc
}

// add appends the low n bits of v. At most 57 bits may be added between two calls of flush, because
// up to 7 bits stay pending after a flush.
func (w *bitWriter) add(v uint64, n uint) {
	w.acc |= v << (w.n & 63)
	w.n += n
}

func (w *bitWriter) flush() {
	binary.LittleEndian.PutUint64(w.out[w.at:], w.acc)
	w.at += int(w.n >> 3)
	w.acc >>= w.n &^ 7
	w.n &= 7
}

// end ends a stream that is read backwards. It writes a 1 bit, which marks where decoders start,
// and returns the number of bytes in out.
func (w *bitWriter) end() int {
	w.add(1, 1)
	return w.pad()
}

// pad fills the last byte with zeros. It returns the number of bytes in out.
func (w *bitWriter) pad() int {
	w.flush()
	if w.n > 0 {
		w.at++
	}
	return w.at
}

func load32(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[i:]) }

func load64(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) }

// highBit returns the index of the highest bit set in v.
func highBit(v uint32) int { return bits.Len32(v) - 1 }

// same returns the length of the common prefix of src[a:] and src[b:end]. a must be less than b.
func same(src []byte, a, b, end int) int {
	start := b
	for b+8 <= end {
		if d := load64(src, a) ^ load64(src, b); d != 0 {
			return b - start + bits.TrailingZeros64(d)>>3
		}
		a, b = a+8, b+8
	}
	for b < end && src[a] == src[b] {
		a, b = a+1, b+1
	}
	return b - start
}
