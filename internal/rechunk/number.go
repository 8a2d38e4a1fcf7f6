package rechunk

import (
	"math"
	"math/bits"
)

// times multiplies numbers that are not negative. What does not fit is the largest there is.
func times(a, b int64) int64 {
	high, low := bits.Mul64(uint64(a), uint64(b))
	if high > 0 || low > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(low)
}

// plus adds numbers that are not negative. What does not fit is the largest there is.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// ceil divides and rounds up; b is at least 1.
func ceil(a, b int64) int64 {
	q := a / b
	if a%b > 0 {
		q++
	}
	return q
}

// roundUp is the first multiple of b from a on, and at most n.
func roundUp(a, b, n int64) int64 { return min(times(ceil(a, b), b), n) }

// lcm is the least common multiple, or n where that is no less.
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

// chunks is how many chunks an array has.
func chunks(shape, chunk []int64) int64 {
	out := int64(1)
	for a, n := range shape {
		out = times(out, ceil(n, chunk[a]))
	}
	return out
}

// pieces counts along an axis of n elements the pairs of a chunk and a block that touch, and adds
// up the lengths of those chunks: what all blocks read. Both cut the axis from its start, and none
// is longer than it.
func pieces(n, chunk, block int64) (count, length int64) {
	c := ceil(n, chunk)
	count = c - ceil(n, lcm(chunk, block, n)) + ceil(n, block) // edges of chunks and of blocks, those of both once
	start := (c - 1) * chunk
	last := ceil(n, block) - start/block // blocks that touch the last chunk
	return count, plus(times(count-last, chunk), times(last, n-start))
}
