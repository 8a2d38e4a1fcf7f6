package rechunk

import (
	"math"
	"math/bits"
)

// times returns a*b, or math.MaxInt64 if it overflows. a and b must not be negative.
func times(a, b int64) int64 {
	high, low := bits.Mul64(uint64(a), uint64(b))
	if high > 0 || low > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(low)
}

// plus returns a+b, or math.MaxInt64 if it overflows. a and b must not be negative.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// ceil returns a/b, rounded up. b must be at least 1.
func ceil(a, b int64) int64 {
	q := a / b
	if a%b > 0 {
		q++
	}
	return q
}

// roundUp returns the smallest multiple of b that is at least a, but not more than n.
func roundUp(a, b, n int64) int64 { return min(times(ceil(a, b), b), n) }

// lcm returns the least common multiple of a and b, but not more than n.
func lcm(a, b, n int64) int64 {
	x, y := a, b
	for y > 0 {
		x, y = y, x%y
	}
	return min(times(a/x, b), n)
}

func volume(v []int64) int64 {
	out := int64(1)
	for _, n := range v {
		out = times(out, n)
	}
	return out
}

// chunks returns the number of chunks of an array.
func chunks(shape, chunk []int64) int64 {
	out := int64(1)
	for a, n := range shape {
		out = times(out, ceil(n, chunk[a]))
	}
	return out
}

// pieces counts the pairs of a chunk and a block that overlap along an axis of n elements. It
// returns the number of these pairs, and the sum of the lengths of the chunks over all pairs: the
// number of elements that all blocks together read. The first chunk and the first block start at 0.
// chunk and block must be at most n.
func pieces(n, chunk, block int64) (count, length int64) {
	c := ceil(n, chunk)
	count = c - ceil(n, lcm(chunk, block, n)) + ceil(n, block) // number of different starts of chunks and blocks
	start := (c - 1) * chunk
	last := ceil(n, block) - start/block // number of blocks that overlap the last chunk
	return count, plus(times(count-last, chunk), times(last, n-start))
}
