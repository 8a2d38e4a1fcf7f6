package pcodec

import "encoding/binary"

// writer appends bits to bytes, least significant bit first.
type writer struct {
	dst  []byte
	word uint64 // bits that are not yet appended
	n    uint   // number of these bits, less than 64
}

// bits writes the n low bits of v, at most 64. Higher bits of v must be 0.
func (w *writer) bits(v uint64, n uint) {
	w.word |= v << w.n
	if w.n += n; w.n >= 64 {
		w.dst = binary.LittleEndian.AppendUint64(w.dst, w.word)
		w.n -= 64
		w.word = v >> (n - w.n) // 0 if all bits of v were appended
	}
}

// align writes zeros to the end of the byte and appends all bits.
func (w *writer) align() {
	for ; w.n > 0; w.n -= min(w.n, 8) {
		w.dst = append(w.dst, byte(w.word))
		w.word >>= 8
	}
}
