package bzip2

import "sync"

// Encoder encodes streams at one level. It is immutable and safe for concurrent use.
type Encoder struct {
	level int
	pool  sync.Pool
}

// NewEncoder returns an encoder for a level from 1 to 9. The level is the block size in units of
// 100,000 bytes.
func NewEncoder(level int) *Encoder { return &Encoder{level: level} }

// work is the state of one encoding. Its buffers grow to the block size.
type work struct {
	block   []byte
	sorter  sorter
	symbols []uint16
}

// Encode appends one stream with the content src. The output depends only on src and the level.
func (e *Encoder) Encode(dst, src []byte) ([]byte, error) {
	w, ok := e.pool.Get().(*work)
	if !ok {
		w = &work{}
	}
	defer e.pool.Put(w)
	out := bits{out: append(dst, 'B', 'Z', 'h', byte('0'+e.level))}
	all := uint32(0)
	for len(src) > 0 {
		n := w.fill(src, 100_000*e.level-19) // 19 bytes fewer than the format allows, as in libbz2
		sum := checksum(src[:n])
		src = src[n:]
		all = (all<<1 | all>>31) ^ sum
		out.write(0x314159, 24)
		out.write(0x265359, 24)
		out.write(sum, 32)
		w.encode(&out)
	}
	out.write(0x177245, 24)
	out.write(0x385090, 24)
	out.write(all, 32)
	out.pad()
	return out.out, nil
}

// fill replaces the block by the run-length encoding of the start of src. It stops when the block
// has size bytes or more, and returns the number of bytes of src that the block covers.
func (w *work) fill(src []byte, size int) int {
	b, i := w.block[:0], 0
	for i < len(src) && len(b) < size {
		n := 1
		for n < 255 && i+n < len(src) && src[i+n] == src[i] {
			n++
		}
		b = append(b, src[i:i+min(n, 4)]...)
		if n >= 4 {
			b = append(b, byte(n-4))
		}
		i += n
	}
	w.block = b
	return i
}

// encode writes the block without its checksum, which the caller has already written.
func (w *work) encode(out *bits) {
	last, row := w.sorter.transform(w.block)
	out.write(0, 1)
	out.write(uint32(row), 24)

	var used [256]bool
	for _, c := range w.block {
		used[c] = true
	}
	var order []byte // the bytes that occur, most recently used first
	var groups uint32
	for c, ok := range used {
		if ok {
			order = append(order, byte(c))
			groups |= 1 << (15 - c/16)
		}
	}
	out.write(groups, 16)
	for g := range 16 {
		if groups>>(15-g)&1 == 0 {
			continue
		}
		for _, ok := range used[16*g : 16*g+16] {
			out.write(bit(ok), 1)
		}
	}
	end := uint16(len(order) + 1)
	w.symbols = append(toFront(w.symbols[:0], last, order), end)
	writeSymbols(out, w.symbols, int(end)+1)
}

// toFront appends the move-to-front symbols of b. The symbol of a byte is 1 plus the index of the
// byte in "order". The byte then moves to the front. A run of index 0 is replaced by the length of
// the run in base 2 with the digits 1 and 2, which are the symbols 0 and 1. The low digit comes
// first.
func toFront(symbols []uint16, b, order []byte) []uint16 {
	run := 0
	for _, c := range b {
		if c == order[0] {
			run++
			continue
		}
		symbols = digits(symbols, run)
		run = 0
		at, before := 0, order[0]
		for before != c {
			at++
			order[at], before = before, order[at]
		}
		order[0] = c
		symbols = append(symbols, uint16(at+1))
	}
	return digits(symbols, run)
}

func digits(symbols []uint16, run int) []uint16 {
	for ; run > 0; run = (run - 1) / 2 {
		symbols = append(symbols, uint16((run-1)%2))
	}
	return symbols
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// checksum returns the CRC-32 of Ethernet, computed from the high bit of each byte.
func checksum(b []byte) uint32 {
	sum := ^uint32(0)
	for _, c := range b {
		sum = sum<<8 ^ crcTable[byte(sum>>24)^c]
	}
	return ^sum
}

// crcTable holds the CRC of each byte value, for the polynomial 04c11db7. It is read-only.
var crcTable = func() (t [256]uint32) {
	for i := range t {
		v := uint32(i) << 24
		for range 8 {
			v = v<<1 ^ 0x04c11db7&-(v>>31)
		}
		t[i] = v
	}
	return t
}()
