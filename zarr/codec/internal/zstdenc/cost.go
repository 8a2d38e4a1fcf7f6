package zstdenc

import (
	"math"
	"math/bits"
)

// A cost is in 1/256 of a bit.
const bit = 256

// logs are the logarithms to the base 2 of 256 to 511, less 8, as costs; it is not changed.
var logs = func() (t [256]uint16) {
	for i := range t {
		t[i] = uint16(math.Round(bit * math.Log2(1+float64(i)/256)))
	}
	return t
}()

// log2 is the logarithm of v, at least 1, as a cost.
func log2(v uint32) uint32 {
	n := bits.Len32(v) - 1
	return uint32(n)*bit + uint32(logs[v<<(31-n)>>23&255])
}

// entropy is what symbols of such counts cost at least.
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
