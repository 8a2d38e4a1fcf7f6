package zstdenc

import (
	"math"
	"math/bits"
)

// bit is the cost of one bit. Costs are in units of 1/256 bit.
const bit = 256

// logs holds log2(i)-8 for i from 256 to 511, as costs. It is read-only.
var logs = func() (t [256]uint16) {
	for i := range t {
		t[i] = uint16(math.Round(bit * math.Log2(1+float64(i)/256)))
	}
	return t
}()

// log2 returns the base-2 logarithm of v as a cost. v must be at least 1.
func log2(v uint32) uint32 {
	n := bits.Len32(v) - 1
	return uint32(n)*bit + uint32(logs[v<<(31-n)>>23&255])
}

// entropy returns the minimum cost of encoding symbols with the given counts.
func entropy(counts []uint32) (sum uint64) {
	n := uint32(0)
	for _, c := range counts {
		if c > 0 {
			n += c
			sum -= uint64(c) * uint64(log2(c))
		}
	}
	if n > 0 {
		sum += uint64(n) * uint64(log2(n))
	}
	return sum
}
