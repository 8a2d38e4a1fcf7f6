package summary

import (
	"context"
	"math"
	"sync"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/internal/attributes/numeric"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Histogram counts elements in bins of equal width. Like numpy.histogram, it counts an element at
// an edge in the bin above the edge, and an element at the last edge in the last bin.
type Histogram struct {
	Edges  []float64 // the edges of the bins in ascending order, one more than the bins
	Counts []int64
	Below  int64 // number of finite elements below the first edge
	Above  int64 // number of finite elements above the last edge

	s     *segments[struct{}]
	mutex sync.Mutex
}

// NewHistogram returns a histogram of the range from low to high. If they are equal, it extends the
// range by 0.5 on each side, as numpy does. It returns fault.Selection if low, high or their
// difference is not finite, if low is greater than high, or if bins is less than 1.
func NewHistogram(t dtype.Type, coding *cf.Coding, low, high float64, bins int) (*Histogram, error) {
	if low == high {
		low, high = low-0.5, high+0.5
	}
	switch width := high - low; {
	case bins < 1:
		return nil, fault.Newf(fault.Selection, "the number of bins must be at least 1, is %d", bins)
	case !finite(low) || !finite(high) || !finite(width) || !(width > 0):
		return nil, fault.Newf(fault.Selection, "the range of a histogram must be two finite numbers in ascending order, is %v to %v", low, high)
	}
	h := &Histogram{Edges: make([]float64, bins+1), Counts: make([]int64, bins)}
	step := (high - low) / float64(bins)
	for i := range h.Edges {
		h.Edges[i] = float64(float64(i)*step) + low // the conversion prevents a fused multiply-add, which numpy does not use
	}
	h.Edges[bins] = high
	h.s = &segments[struct{}]{size: t.Size(), merge: func(struct{}) {}}
	of, ok := numeric.Pick(t, bin[int8], bin[int16], bin[int32], bin[int64],
		bin[uint8], bin[uint16], bin[uint32], bin[uint64], bin[float32], bin[float64])
	if t == dtype.Type(dtype.Bool) {
		of, ok = bin[uint8], true
	}
	if !ok {
		return nil, notNumbers(t)
	}
	of(h, t, coding)
	return h, nil
}

// Add adds consecutive elements in memory form. It does not retain elems.
func (h *Histogram) Add(ctx context.Context, elems []byte) error { return h.s.add(ctx, elems) }

// End completes the counts. The caller must not call Add afterwards.
func (h *Histogram) End() error { return h.s.end() }

// bin sets the function that counts the elements of a segment.
func bin[S cf.Number](h *Histogram, t dtype.Type, coding *cf.Coding) {
	d := &decoder[S]{size: t.Size(), coding: coding, half: t == dtype.Float16}
	h.s.each = func(elems []byte) (struct{}, error) {
		return struct{}{}, d.decode(elems, func(v values[S]) { h.count(v.decoded) })
	}
}

// count adds the decoded elements of a segment to the counts.
func (h *Histogram) count(decoded []float64) {
	bins := len(h.Counts)
	low, high := h.Edges[0], h.Edges[bins]
	counts := make([]int64, bins)
	below, above := int64(0), int64(0)
	for _, f := range decoded {
		switch {
		case math.IsNaN(f) || math.IsInf(f, 0):
			continue
		case f < low:
			below++
			continue
		case f > high:
			above++
			continue
		}
		i := min(int((f-low)/(high-low)*float64(bins)), bins-1)
		// Rounding may have changed i by one.
		if f < h.Edges[i] {
			i--
		} else if i < bins-1 && f >= h.Edges[i+1] {
			i++
		}
		counts[i]++
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for i, n := range counts {
		h.Counts[i] += n
	}
	h.Below += below
	h.Above += above
}
