package grid

import (
	"math"
	"slices"
)

// DefaultElements is how many elements a chunk has at most when nobody says: TensorStore's million.
const DefaultElements = 1 << 20

// Layout chooses the shape of chunks for an array: along axis i the integer nearest to factor ·
// aspect[i], within 1 and the length of the axis, with the largest factor that gives no more than
// elements in a chunk. That is how TensorStore's drivers choose. aspect nil, or 0 along an axis, is
// 1; the others are positive and finite. elements is at least 1.
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
			if v := max(math.Round(factor*ratio[i]), 1); v < float64(chunk[i]) { // which may be more than n
				chunk[i] = int(v)
			}
			total *= float64(chunk[i])
		}
		return total <= float64(elements)
	}
	// The total grows with the factor in steps. Halving finds the last factor below the step that
	// is too high, to the last bit or nearly so.
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

// Multiple chooses the shape of shards: along each axis a number of chunks, so that a shard has no
// more than elements and reaches no further beyond the array than its last chunk does. aspect is as
// for Layout.
func Multiple(shape, chunk []int, aspect []float64, elements int) []int {
	each := 1
	for _, c := range chunk {
		if each > elements/c {
			return slices.Clone(chunk) // two are too many already; what follows cannot overflow
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
