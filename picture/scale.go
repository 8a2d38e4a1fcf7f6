package picture

import (
	"math"
	"slices"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Range is a range of values. The colors of a picture divide it into equal parts.
type Range struct {
	Low, High float64
	// Percent means that Low and High are percentiles of the finite values, from 0 to 100. For
	// example, a few extreme values do not affect Range{2, 98, true}.
	Percent bool
}

// of returns the limits of the range. The limits of the zero Range are the smallest and the largest
// finite value. It reports false if the limits depend on the values and no value is finite.
func (r Range) of(values []float64, p Palette) (low, high float64, ok bool, err error) {
	auto := r == Range{}
	switch {
	case auto:
	case !(r.Low < r.High) || math.IsInf(r.Low, 0) || math.IsInf(r.High, 0):
		return 0, 0, false, fault.Newf(fault.Selection, "a range needs two finite numbers, the lower one first, is %v:%v", r.Low, r.High)
	case r.Percent && (r.Low < 0 || r.High > 100):
		return 0, 0, false, fault.Newf(fault.Selection, "percentiles must be between 0 and 100, are %v and %v", r.Low, r.High)
	case !r.Percent:
		return r.Low, r.High, true, nil
	}
	if auto {
		low, high, ok = extremes(values)
	} else {
		low, high, ok = percentiles(values, r.Low, r.High)
	}
	if ok && p.Diverging() && low < 0 && high > 0 {
		high = max(high, -low)
		low = -high
	}
	if low == high {
		d := max(math.Abs(low)/1000, 0.5)
		low, high = max(low-d, -math.MaxFloat64), min(high+d, math.MaxFloat64)
	}
	return low, high, ok, nil
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// extremes returns the smallest and the largest finite value.
func extremes(values []float64) (low, high float64, ok bool) {
	for _, v := range values {
		if !finite(v) {
			continue
		}
		if !ok {
			low, high, ok = v, v, true
		}
		low, high = min(low, v), max(high, v)
	}
	return low, high, ok
}

// percentiles returns the percentiles a and b of the finite values, with linear interpolation as in
// NumPy.
func percentiles(values []float64, a, b float64) (low, high float64, ok bool) {
	sorted := slices.DeleteFunc(slices.Clone(values), func(f float64) bool { return !finite(f) })
	if len(sorted) == 0 {
		return 0, 0, false
	}
	slices.Sort(sorted)
	at := func(p float64) float64 {
		x := p / 100 * float64(len(sorted)-1)
		i := min(int(x), len(sorted)-1)
		next, f := sorted[min(i+1, len(sorted)-1)], x-float64(i)
		return sorted[i]*(1-f) + next*f
	}
	return at(a), at(b), true
}

// fraction returns the position of v between low and high, clamped to 0 and 1.
func fraction(v, low, high float64) float64 {
	if span := high - low; finite(span) {
		return min(max((v-low)/span, 0), 1)
	}
	return min(max((v/2-low/2)/(high/2-low/2), 0), 1) // the difference of halves does not overflow
}
