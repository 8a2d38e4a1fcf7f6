package zfp

import (
	"math"
	"math/bits"
)

// headerBytes is the length of the longest header, of 148 bits.
const headerBytes = 19

// blocksOf returns the number of blocks of an array.
func blocksOf(shape []int) uint64 {
	n := uint64(1)
	for _, d := range shape {
		n = mul(n, (uint64(d)+3)/4)
	}
	return n
}

// worst returns the length in bytes of the longest stream of an array whose blocks are padded to
// minbits. It includes a header and the last word.
func worst(shape []int, n number, minbits uint64) int64 {
	values := uint64(1) << (2 * len(shape))
	most := fieldBits + values*uint64(n.width()) + values - 1
	b := bytesOf(mul(blocksOf(shape), max(most, minbits)))
	return limited(b + headerBytes + 8) // at most 2^61 and little more
}

// mul returns a product, or math.MaxUint64 if it is larger.
func mul(a, b uint64) uint64 {
	if hi, lo := bits.Mul64(a, b); hi == 0 {
		return lo
	}
	return math.MaxUint64
}

// bytesOf returns the number of bytes that contain a number of bits.
func bytesOf(bits uint64) uint64 { return bits>>3 + min(bits&7, 1) }

// limited returns n, or math.MaxInt64 if it is larger.
func limited(n uint64) int64 { return int64(min(n, math.MaxInt64)) }
