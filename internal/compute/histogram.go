package compute

import (
	"context"
	"math"
	"slices"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Histogram contains counts of elements in bins of equal width. Like numpy.histogram, it counts an
// element at an edge in the bin above the edge, and an element at the last edge in the last bin. It
// ignores elements that are missing or infinite.
type Histogram struct {
	Edges  []float64 // the edges of the bins in ascending order, one more than the bins
	Counts []int64
	Below  int64 // number of finite elements below the first edge
	Above  int64 // number of finite elements above the last edge
}

// NewHistogram returns a histogram of the range from low to high. If they are equal, it extends the
// range by 0.5 on each side, as numpy does. It returns fault.Selection if low, high or their
// difference is not finite, if low is greater than high, or if bins is less than 1.
func NewHistogram(low, high float64, bins int) (*Histogram, error) {
	if low == high {
		low, high = low-0.5, high+0.5
	}
	switch width := high - low; {
	case bins < 1:
		return nil, fault.Newf(fault.Selection, "the number of bins must be at least 1, is %d", bins)
	case low-low != 0 || high-high != 0 || width-width != 0 || !(width > 0) || math.IsInf(float64(bins)/width, 0):
		return nil, fault.Newf(fault.Selection, "the range of a histogram must be two finite numbers in ascending order, is %v to %v", low, high)
	}
	h := &Histogram{Edges: make([]float64, bins+1), Counts: make([]int64, bins)}
	step := (high - low) / float64(bins)
	for i := range h.Edges {
		h.Edges[i] = float64(float64(i)*step) + low // the conversion prevents a fused multiply-add, which numpy does not use
	}
	h.Edges[bins] = high
	return h, nil
}

// Count adds the decoded elements of a source.
func (h *Histogram) Count(ctx context.Context, s Source) error {
	of, err := pick(s.Array.DType(), binBools, binHalves, binCounts[int8], binCounts[int16], binElements[int32], binElements[int64],
		binCounts[uint8], binCounts[uint16], binElements[uint32], binElements[uint64], binElements[float32], binElements[float64])
	if err != nil {
		return err
	}
	return of(ctx, s, h)
}

// binCounts counts small integers by how often each of them occurs.
func binCounts[S small](ctx context.Context, s Source, h *Histogram) error {
	t, err := countIn(ctx, s, same[S])
	if err != nil {
		return err
	}
	return addTable(h, t, s.Coding)
}

func binBools(ctx context.Context, s Source, h *Histogram) error {
	t, err := countIn(ctx, s, numbered)
	if err != nil {
		return err
	}
	return addTable(h, t, nil)
}

// addTable adds the counts of integers.
func addTable[S small](h *Histogram, t *table[S], c *cf.Coding) error {
	values, n := t.counts()
	decoded, err := decodedAll(c, values)
	if err != nil {
		return err
	}
	b := h.bins()
	for i, f := range decoded {
		b.repeated(f, n[i])
	}
	h.merge(b)
	return nil
}

func binElements[S cf.Number](ctx context.Context, s Source, h *Histogram) error {
	return binAs(ctx, s, h, same[S])
}

func binHalves(ctx context.Context, s Source, h *Histogram) error { return binAs(ctx, s, h, widened) }

func binAs[A any, S cf.Number](ctx context.Context, s Source, h *Histogram, to func([]A) []S) error {
	l, err := loopOf[S](s.Coding)
	if err != nil {
		return err
	}
	return visit(ctx, s, to, func() *binned[S] { return &binned[S]{bins: h.bins(), c: s.Coding, l: l} }, func(of []*binned[S]) {
		for _, b := range of {
			h.merge(b.bins)
		}
	})
}

// binned counts elements that it decodes piece by piece.
type binned[S cf.Number] struct {
	*bins
	c    *cf.Coding
	l    cf.Loop[S]
	room [piece]float64
}

// piece is the number of elements that are decoded before they are counted. They fit in the first
// level of the cache.
const piece = 2048

func (b *binned[S]) add(_ []int, values []S) {
	for x := range slices.Chunk(values, piece) {
		b.count(b.decode(x))
	}
}

func (b *binned[S]) repeat(_ []int, value S, n int) { b.repeated(b.decode([]S{value})[0], int64(n)) }

// decode returns the decoded elements of a piece.
func (b *binned[S]) decode(x []S) []float64 {
	decoded := b.room[:len(x)]
	if b.l.Several || b.l.Flipped {
		_ = cf.Decode(b.c, decoded, x) // the lengths and the type are right
	} else {
		cf.Unpack(b.l, decoded, x)
	}
	return decoded
}

// bins are the counts of some elements.
type bins struct {
	edges        []float64
	scale        float64 // bins in a unit of the elements
	even, odd    []int64 // count in turn, as those of table
	below, above int64
}

func (h *Histogram) bins() *bins {
	n := len(h.Counts)
	return &bins{edges: h.Edges, scale: float64(n) / (h.Edges[n] - h.Edges[0]), even: make([]int64, n), odd: make([]int64, n)}
}

// count adds decoded elements.
func (b *bins) count(decoded []float64) {
	low, high := b.edges[0], b.edges[len(b.edges)-1]
	even, odd := b.even, b.odd
	for _, f := range decoded {
		if !(f >= low && f <= high) {
			b.repeated(f, 1)
			continue
		}
		even[b.bin(f)]++
		even, odd = odd, even
	}
}

// repeated adds n elements that are equal.
func (b *bins) repeated(f float64, n int64) {
	switch {
	case f-f != 0: // NaN or infinite
	case f < b.edges[0]:
		b.below += n
	case f > b.edges[len(b.edges)-1]:
		b.above += n
	default:
		b.even[b.bin(f)] += n
	}
}

// bin returns the bin of an element in the range.
func (b *bins) bin(f float64) int {
	last := len(b.edges) - 2
	i := min(int((f-b.edges[0])*b.scale), last)
	// Rounding may have changed i by one.
	if f < b.edges[i] {
		i--
	} else if i < last && f >= b.edges[i+1] {
		i++
	}
	return i
}

// merge adds the counts of some elements.
func (h *Histogram) merge(of *bins) {
	for i := range h.Counts {
		h.Counts[i] += of.even[i] + of.odd[i]
	}
	h.Below += of.below
	h.Above += of.above
}
