package pcodec

import (
	"math"
	"math/bits"
)

// quantize sets the weights of bins in proportion to their counts. The counts add up to total. It
// returns the base-2 logarithm of the sum of the weights. This is most, but more for too many bins,
// and less if all weights are even.
func quantize(bins []binOf, total int, most uint) uint {
	if len(bins) == 1 {
		bins[0].weight = 1
		return 0
	}
	log := max(most, uint(bits.Len(uint(len(bins)-1))))
	size := 1 << log
	scale := float64(size) / float64(total)
	left := size
	for i := range bins {
		bins[i].weight = uint32(max(math.Round(float64(bins[i].count)*scale), 1))
		left -= int(bins[i].weight)
	}
	for ; left > 0; left-- {
		bins[extreme(bins, 1)].weight++
	}
	for ; left < 0; left++ {
		bins[extreme(bins, -1)].weight--
	}
	shared := log
	for _, b := range bins {
		shared = min(shared, uint(bits.TrailingZeros32(b.weight)))
	}
	for i := range bins {
		bins[i].weight >>= shared
	}
	return log - shared
}

// extreme returns the bin whose weight should change by by. It is the bin whose latents save the
// most bits if the weight grows, or cost the fewest bits if it shrinks.
func extreme(bins []binOf, by float64) int {
	best, gain := 0, math.Inf(-1)
	for i, b := range bins {
		w := float64(b.weight)
		if w+by < 1 {
			continue
		}
		if g := float64(b.count) * math.Log2((w+by)/w); g > gain {
			best, gain = i, g
		}
	}
	return best
}
