package pcodec

import (
	"math"
	"math/bits"
)

// binOf is a bin of the encoder.
type binOf struct {
	lower, upper uint64 // smallest and largest latent
	count        int    // number of latents
	width        uint8  // bits of an offset
	weight       uint32
}

// train returns the bins for latents, the base-2 logarithm of the size of their tANS table, and the
// approximate number of bits of the bins and the latents.
func (e *encoder) train(latents []uint64, width uint, level int) ([]binOf, uint, int64) {
	e.sorted, e.spare = sized(e.sorted, len(latents)), sized(e.spare, len(latents))
	copy(e.sorted, latents)
	sorted := radixSort(e.sorted, e.spare, width)
	most := min(level+2, maxLevel, bits.Len(uint(len(latents)-1)))
	bins := e.merge(histogram(sorted, 1<<level), len(latents), most+binBits(width))
	log := quantize(bins, len(latents), uint(most))
	cost := float64(19 + len(bins)*(int(log)+binBits(width)))
	for _, b := range bins {
		cost += float64(b.count) * (float64(b.width) + float64(log) - e.logs.of(int(b.weight)))
	}
	return bins, log, int64(cost)
}

// histogram divides sorted latents into about n bins of about equal counts. A latent whose count is
// more than half of that of a bin has its own bin.
func histogram(sorted []uint64, n int) []binOf {
	var bins []binOf
	add := func(part []uint64) {
		if len(part) > 0 {
			bins = append(bins, binOf{lower: part[0], upper: part[len(part)-1], count: len(part)})
		}
	}
	for start := 0; start < len(sorted); {
		b := start * n / len(sorted)
		end := ((b+1)*len(sorted) + n - 1) / n
		end = min(max(end, start+1), len(sorted))
		// Latents equal to the last one are in one bin.
		l, r := end-1, end
		for l > start && sorted[l-1] == sorted[end-1] {
			l--
		}
		for r < len(sorted) && sorted[r] == sorted[end-1] {
			r++
		}
		if (r-l)*2*n > len(sorted) {
			add(sorted[start:l])
			add(sorted[l:r])
		} else {
			add(sorted[start:r])
		}
		start = r
	}
	return bins
}

// merge joins neighbouring bins so that the total number of bits is minimal. meta is the number of
// bits of the metadata of a bin. The result is the shortest path from the first bin to the last.
func (e *encoder) merge(bins []binOf, total, meta int) []binOf {
	costs := make([]float32, len(bins)+1)
	froms := make([]int32, len(bins)+1)
	sums := make([]int, len(bins)+1)
	for i, b := range bins {
		sums[i+1] = sums[i] + b.count
	}
	all := float32(e.logs.of(total))
	for i := range bins {
		best, from, upper := float32(math.MaxFloat32), 0, bins[i].upper
		for j := i; j >= 0; j-- {
			count := sums[i+1] - sums[j]
			each := all - e.logs.of32(count) + float32(bits.Len64(upper-bins[j].lower))
			// The conversion of the product prevents a fused addition, which rounds differently.
			if c := costs[j] + float32(meta) + float32(float32(count)*each); c < best {
				best, from = c, j
			}
		}
		costs[i+1], froms[i+1] = best, int32(from)
	}
	n := len(bins) // the merged bins are at the end of the slice
	for i := len(bins); i > 0; i = int(froms[i]) {
		j := froms[i]
		b := binOf{lower: bins[j].lower, upper: bins[i-1].upper, count: sums[i] - sums[j]}
		b.width = uint8(bits.Len64(b.upper - b.lower))
		n--
		bins[n] = b
	}
	return bins[n:]
}

// logs is a table of base-2 logarithms.
type logs [1 << 11]float32

func (t *logs) fill() {
	for i := 1; i < len(t); i++ {
		t[i] = float32(math.Log2(float64(i)))
	}
}

// of returns the approximate base-2 logarithm of a positive number.
func (t *logs) of(n int) float64 { return float64(t.of32(n)) }

func (t *logs) of32(n int) float32 {
	shift := max(bits.Len(uint(n))-11, 0)
	return t[n>>shift&(len(t)-1)] + float32(shift)
}
