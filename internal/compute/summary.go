package compute

import (
	"context"
	"math"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/internal/attributes/numeric"
	"github.com/zargo-io/zargo/internal/bits/bytesview"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// Summary describes decoded elements.
type Summary struct {
	Elements int64 // all elements
	Missing  int64 // elements that decode to NaN
	NaN      int64 // elements of Missing that are stored as NaN
	Infinite int64
	Count    int64 // all other elements, which the fields below describe

	// Min and Max are of type int64 or uint64 if the elements are unpacked integers, otherwise
	// float64. They are nil if Count is 0.
	Min, Max any

	// Mean is the mean, and Std the population standard deviation (ddof=0 in numpy). Both are NaN
	// if Count is 0.
	Mean, Std float64
}

// Summarize returns the summary of the elements of a source. It counts infinities, but excludes
// them from the minimum, maximum, mean and standard deviation.
//
// Integers of one or two bytes are counted, so their summary does not depend on their order. Other
// elements are summed in segments of a chunk, which are merged in the order of the chunks (Chan,
// Golub and LeVeque: Updating formulae and a pairwise algorithm for computing sample variances,
// 1979).
func Summarize(ctx context.Context, s Source) (Summary, error) {
	of, err := pick(s.Array.DType(), ofBools, ofHalves, ofCounts[int8], ofCounts[int16], ofSegments[int32], ofSegments[int64],
		ofCounts[uint8], ofCounts[uint16], ofSegments[uint32], ofSegments[uint64], ofSegments[float32], ofSegments[float64])
	if err != nil {
		return Summary{}, err
	}
	return of(ctx, s)
}

// IsMissing reports whether an element in memory form is missing, and whether it is NaN. It returns
// false if the data type is not numeric.
func IsMissing(c *cf.Coding, t dtype.Type, elem []byte) (missing, nan bool) {
	of, ok := numeric.Pick(t, isMissing[int8], isMissing[int16], isMissing[int32], isMissing[int64],
		isMissing[uint8], isMissing[uint16], isMissing[uint32], isMissing[uint64], isMissing[float32], isMissing[float64])
	if t == dtype.Float16 {
		of = func(c *cf.Coding, elem []byte) (missing, nan bool) {
			half := make([]dtype.F16, 1)
			bytesview.Take(half, elem)
			elem = make([]byte, 4)
			bytesview.Put(elem, widen(make([]float32, 1), half))
			return isMissing[float32](c, elem)
		}
	}
	if !ok {
		return false, false
	}
	return of(c, elem)
}

func isMissing[S cf.Number](c *cf.Coding, elem []byte) (missing, nan bool) {
	one, is := make([]S, 1), make([]bool, 1)
	bytesview.Take(one, elem)
	_, err := cf.Missing(c, is, one)
	return err == nil && is[0], one[0] != one[0]
}

// ofCounts summarizes small integers by how often each of them occurs.
func ofCounts[S small](ctx context.Context, s Source) (Summary, error) {
	t, err := countIn(ctx, s, same[S])
	if err != nil {
		return Summary{}, err
	}
	return summaryOf(t, s.Coding)
}

// ofBools summarizes booleans as the numbers 0 and 1.
func ofBools(ctx context.Context, s Source) (Summary, error) {
	t, err := countIn(ctx, s, numbered)
	if err != nil {
		return Summary{}, err
	}
	r, err := summaryOf(t, nil)
	if r.Count > 0 {
		r.Min, r.Max = float64(r.Min.(uint64)), float64(r.Max.(uint64))
	}
	return r, err
}

func summaryOf[S small](t *table[S], c *cf.Coding) (Summary, error) {
	values, n := t.counts()
	decoded, err := decodedAll(c, values)
	if err != nil {
		return Summary{}, err
	}
	p, exact, sum := part[S]{}, isExact[S](c), compensated{}
	p.min, p.max = math.Inf(1), math.Inf(-1)
	for i, f := range decoded { // the mean in two passes
		p.elements += n[i]
		switch {
		case f != f:
			p.missing += n[i]
			continue
		case math.IsInf(f, 0):
			p.infinite += n[i]
			continue
		case p.count == 0:
			p.low, p.high = values[i], values[i]
		}
		p.low, p.high, p.min, p.max = min(p.low, values[i]), max(p.high, values[i]), min(p.min, f), max(p.max, f)
		p.count += n[i]
		sum.add(f * float64(n[i]))
	}
	if p.count > 0 {
		p.mean = sum.value() / float64(p.count)
	}
	var residue, square compensated
	for i, f := range decoded {
		if d := f - p.mean; d-d == 0 {
			residue.add(d * float64(n[i]))
			square.add(d * d * float64(n[i]))
		}
	}
	if p.count > 0 {
		r := residue.value()
		p.square = square.value() - r*r/float64(p.count)
	}
	return p.summary(exact), nil
}

// compensated is a sum whose error is that of one addition (Neumaier: Rundungsfehleranalyse einiger
// Verfahren zur Summation endlicher Summen, 1974).
type compensated struct{ sum, lost float64 }

func (c *compensated) add(f float64) {
	t := c.sum + f
	if math.Abs(c.sum) >= math.Abs(f) {
		c.lost += (c.sum - t) + f
	} else {
		c.lost += (f - t) + c.sum
	}
	c.sum = t
}

func (c *compensated) value() float64 {
	if v := c.sum + c.lost; v-v == 0 {
		return v
	}
	return c.sum // infinite
}

// isExact reports whether the minimum and maximum are stored integers.
func isExact[S cf.Number](c *cf.Coding) bool {
	half := 0.5
	if S(half) != 0 || c == nil {
		return S(half) == 0
	}
	l, err := cf.LoopOf[S](c)
	return err == nil && !c.Packed() && !l.Flipped
}

// summary returns the summary. If exact is true, the minimum and maximum are stored integers.
func (p *part[S]) summary(exact bool) Summary {
	r := Summary{Elements: p.elements, Missing: p.missing, NaN: p.nan, Infinite: p.infinite, Count: p.count, Mean: math.NaN(), Std: math.NaN()}
	if p.count == 0 {
		return r
	}
	r.Mean, r.Std = p.mean, math.Sqrt(max(p.square, 0)/float64(p.count))
	switch {
	case !exact:
		r.Min, r.Max = p.min, p.max
	case p.low-p.low-1 < 0: // signed
		r.Min, r.Max = int64(p.low), int64(p.high)
	default:
		r.Min, r.Max = uint64(p.low), uint64(p.high)
	}
	return r
}

// ofSegments summarizes elements in segments.
func ofSegments[S cf.Number](ctx context.Context, s Source) (Summary, error) {
	return segmentsOf(ctx, s, same[S])
}

func ofHalves(ctx context.Context, s Source) (Summary, error) { return segmentsOf(ctx, s, widened) }

func segmentsOf[A any, S cf.Number](ctx context.Context, s Source, to func([]A) []S) (Summary, error) {
	l, err := loopOf[S](s.Coding)
	if err != nil {
		return Summary{}, err
	}
	var total part[S]
	err = visit(ctx, s, to, func() *segments[S] { return &segments[S]{c: s.Coding, l: l} }, total.tile)
	return total.summary(isExact[S](s.Coding)), err
}
