package blosc

import "encoding/binary"

// bitShuffle writes the lowest bit of the first byte of every element to dst, then the second bit,
// and so on for all bits and bytes of an element. It packs eight bits into each byte of dst, from
// the lowest bit up. It copies bytes after the last whole element. If the number of elements is not
// a multiple of eight, it copies src unchanged. dst and src have the same length and must not
// overlap.
func bitShuffle(dst, src []byte, typeSize int) {
	n := len(src) / typeSize
	if n%8 != 0 {
		copy(dst, src)
		return
	}
	copy(dst[n*typeSize:], src[n*typeSize:])
	row := n / 8
	for j := range typeSize {
		rows := dst[j*n : (j+1)*n]
		for g := range row {
			from := src[8*g*typeSize+j:]
			var x uint64
			for e := range 8 {
				x |= uint64(from[e*typeSize]) << (8 * e)
			}
			x = transpose8(x)
			for k := range 8 {
				rows[k*row+g] = byte(x >> (8 * k))
			}
		}
	}
}

// bitUnshuffle reverses bitShuffle.
func bitUnshuffle(dst, src []byte, typeSize int) {
	n := len(src) / typeSize
	if n%8 != 0 {
		copy(dst, src)
		return
	}
	copy(dst[n*typeSize:], src[n*typeSize:])
	row := n / 8
	for j := range typeSize {
		rows := src[j*n : (j+1)*n]
		for g := range row {
			var x uint64
			for k := range 8 {
				x |= uint64(rows[k*row+g]) << (8 * k)
			}
			x = transpose8(x)
			if typeSize == 1 {
				binary.LittleEndian.PutUint64(dst[8*g:], x)
				continue
			}
			to := dst[8*g*typeSize+j:]
			for e := range 8 {
				to[e*typeSize] = byte(x >> (8 * e))
			}
		}
	}
}

// transpose8 transposes an 8x8 matrix of bits, one row per byte. Three rounds swap squares of 1x1,
// 2x2 and 4x4 across the diagonal (Warren, Hacker's Delight, section 7-3).
func transpose8(x uint64) uint64 {
	t := (x ^ x>>7) & 0x00aa00aa00aa00aa
	x ^= t ^ t<<7
	t = (x ^ x>>14) & 0x0000cccc0000cccc
	x ^= t ^ t<<14
	t = (x ^ x>>28) & 0x00000000f0f0f0f0
	return x ^ t ^ t<<28
}
