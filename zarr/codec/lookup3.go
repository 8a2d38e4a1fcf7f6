package codec

import (
	"encoding/binary"
	"math/bits"
)

// lookup3 returns Bob Jenkins' hashlittle (2006) of b, a 32-bit hash that HDF5 uses for metadata.
func lookup3(b []byte, seed uint32) uint32 {
	n := 0xdeadbeef + uint32(len(b)) + seed
	h := lookup3State{n, n, n}
	for len(b) > 12 {
		h.add([12]byte(b))
		h.mix()
		b = b[12:]
	}
	return h.last(b)
}

type lookup3State struct{ a, b, c uint32 }

func (h *lookup3State) add(k [12]byte) {
	h.a += binary.LittleEndian.Uint32(k[0:])
	h.b += binary.LittleEndian.Uint32(k[4:])
	h.c += binary.LittleEndian.Uint32(k[8:])
}

// mix mixes the three words of the state. It is reversible, so different states remain different.
func (h *lookup3State) mix() {
	a, b, c := h.a, h.b, h.c
	a = a - c ^ bits.RotateLeft32(c, 4)
	c += b
	b = b - a ^ bits.RotateLeft32(a, 6)
	a += c
	c = c - b ^ bits.RotateLeft32(b, 8)
	b += a
	a = a - c ^ bits.RotateLeft32(c, 16)
	c += b
	b = b - a ^ bits.RotateLeft32(a, 19)
	a += c
	c = c - b ^ bits.RotateLeft32(b, 4)
	b += a
	h.a, h.b, h.c = a, b, c
}

// last adds the remaining bytes, at most 12, and returns the hash. rest is empty only if the input
// is empty.
func (h *lookup3State) last(rest []byte) uint32 {
	if len(rest) == 0 {
		return h.c
	}
	var k [12]byte
	copy(k[:], rest)
	h.add(k)
	a, b, c := h.a, h.b, h.c
	c = (c ^ b) - bits.RotateLeft32(b, 14)
	a = (a ^ c) - bits.RotateLeft32(c, 11)
	b = (b ^ a) - bits.RotateLeft32(a, 25)
	c = (c ^ b) - bits.RotateLeft32(b, 16)
	a = (a ^ c) - bits.RotateLeft32(c, 4)
	b = (b ^ a) - bits.RotateLeft32(a, 14)
	return (c ^ b) - bits.RotateLeft32(b, 24)
}
