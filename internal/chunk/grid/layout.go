package grid

import (
	"math"
	"slices"
)

// DefaultElements is the default maximum number of elements of a chunk, as in TensorStore.
const DefaultElements = 1 << 20

// Layout returns a shape of chunks for an array, chosen as TensorStore's drivers do. The length of
// a chunk along axis i is factor · aspect[i], rounded to the nearest integer that is at least 1 and
// at most the length of the axis. factor is the largest number that limits a chunk to the number of
// elements in the parameter elements.
//
// If aspect is nil or aspect[i] is 0, the value 1 is used. Other values must be positive and
// finite. elements must be at least 1.
func Layout(shape []int, aspect []float64, elements int) []int {
	ratio := make([]float64, len(shape))
	least := math.Inf(1)
	for i := range shape {
		ratio[i] = 1
		if aspect != nil && aspect[i] != 0 {
			ratio[i] = aspect[i]
		}
		least = min(least, ratio[i])
	}
	longest := 1
	for _, n := range shape {
		longest = max(longest, n)
	}
	chunk := make([]int, len(shape))
	at := func(factor float64) (fits bool) {
		total := 1.0
		for i, n := range shape {
			chunk[i] = max(n, 1)
			// v may exceed the range of int.
			if v := max(math.Round(factor*ratio[i]), 1); v < float64(chunk[i]) {
				chunk[i] = int(v)
			}
			total *= float64(chunk[i])
		}
		return total <= float64(elements)
	}
	// Search by bisection for the largest factor whose total does not exceed the limit, up to about
	// the last bit. The total is a step function of the factor.
	lo, hi := 0.0, (float64(longest)+1)/least
	if at(hi) {
		return chunk
	}
	for range 200 {
		mid := lo + (hi-lo)/2
		if mid == lo || mid == hi {
			break
		}
		if at(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	at(lo)
	return chunk
}

// Multiple returns a shape of shards that is a multiple of the shape of chunks. A shard has one
// chunk, or several chunks with at most the given number of elements in total. It does not extend
// further beyond the array than the last chunk does. aspect has the same meaning as in [Layout].
func Multiple(shape, chunk []int, aspect []float64, elements int) []int {
	each := 1
	for _, c := range chunk {
		if each > elements/c {
			return slices.Clone(chunk) // two chunks exceed the limit; this also prevents overflow
		}
		each *= c
	}
	ratio := make([]float64, len(shape))
	for i := range shape {
		ratio[i] = 1 / float64(chunk[i])
		if aspect != nil && aspect[i] != 0 {
			ratio[i] *= aspect[i]
		}
	}
	shard := Layout(Count(shape, chunk), ratio, elements/each)
	for i := range shard {
		shard[i] *= chunk[i]
	}
	return shard
}
