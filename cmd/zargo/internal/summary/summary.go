package summary

import (
	"context"
	"math"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/internal/attributes/numeric"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// Result is the summary of decoded elements.
type Result struct {
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

// Summary computes a [Result].
type Summary struct {
	add    func(ctx context.Context, elems []byte) error
	result func() (Result, error)
}

// New returns a summary for elements of a data type. If coding is nil, it summarizes the stored
// elements.
func New(t dtype.Type, coding *cf.Coding) (*Summary, error) {
	summary, ok := numeric.Pick(t, of[int8], of[int16], of[int32], of[int64],
		of[uint8], of[uint16], of[uint32], of[uint64], of[float32], of[float64])
	if t == dtype.Type(dtype.Bool) {
		summary, ok = of[uint8], true
	}
	if !ok {
		return nil, notNumbers(t)
	}
	return summary(t, coding), nil
}

// Add adds consecutive elements in memory form. It may keep a copy of some of them.
func (s *Summary) Add(ctx context.Context, elems []byte) error { return s.add(ctx, elems) }

// Result returns the summary of all added elements. The caller must not call Add afterwards.
func (s *Summary) Result() (Result, error) { return s.result() }

// part is the summary of consecutive elements.
type part[S cf.Number] struct {
	elements, missing, nan, infinite, count int64

	low, high S // smallest and largest stored element if exact; not used otherwise
	min, max  float64
	mean      float64
	square    float64 // sum of the squares of the differences from the mean
}

func of[S cf.Number](t dtype.Type, coding *cf.Coding) *Summary {
	d := &decoder[S]{size: t.Size(), coding: coding, half: t == dtype.Float16}
	exact := isInteger[S]() && t != dtype.Bool && increasing[S](coding)
	total := part[S]{}
	s := &segments[part[S]]{size: t.Size(), merge: total.merge}
	s.each = func(elems []byte) (p part[S], err error) {
		err = d.decode(elems, func(v values[S]) { p = summarize(v, exact) })
		return p, err
	}
	return &Summary{s.add, func() (Result, error) {
		err := s.end()
		return total.result(exact), err
	}}
}

func isInteger[S cf.Number]() bool { half := 0.5; return S(half) == 0 }

// increasing reports whether the coding does not change the values of elements. Packed elements and
// elements with the attribute _Unsigned change.
func increasing[S cf.Number](c *cf.Coding) bool {
	if c == nil {
		return true
	}
	var f [1]float64
	s := [1]S{}
	for range 8 { // -1, -2, … or the largest unsigned numbers; some of them may be missing values
		s[0]--
		if c.Packed() || cf.Decode(c, f[:], s[:]) != nil {
			return false
		}
		if !math.IsNaN(f[0]) {
			return f[0] == float64(s[0])
		}
	}
	return false
}

// summarize summarizes a segment. If exact is true, it compares stored elements instead of decoded
// ones, because float64 cannot represent all 8-byte integers.
func summarize[S cf.Number](v values[S], exact bool) part[S] {
	p := part[S]{elements: int64(len(v.stored))}
	shift, sum := 0.0, 0.0
	for i, f := range v.decoded {
		s := v.stored[i]
		switch {
		case math.IsNaN(f):
			p.missing++
			if s != s {
				p.nan++
			}
			continue
		case math.IsInf(f, 0):
			p.infinite++
			continue
		case p.count == 0:
			p.low, p.high, p.min, p.max, shift = s, s, f, f, f
		}
		if exact {
			p.low, p.high = min(p.low, s), max(p.high, s)
		} else {
			p.min, p.max = min(p.min, f), max(p.max, f)
		}
		p.count++
		sum += f - shift
	}
	if p.count == 0 {
		return p
	}
	n := float64(p.count)
	p.mean = shift + sum/n
	residue := 0.0
	for _, f := range v.decoded {
		if finite(f) {
			f -= p.mean
			residue += f
			p.square += f * f
		}
	}
	p.mean += residue / n
	p.square -= residue * residue / n
	return p
}

// merge adds the summary of the elements after those of p.
func (p *part[S]) merge(q part[S]) {
	p.elements += q.elements
	p.missing += q.missing
	p.nan += q.nan
	p.infinite += q.infinite
	switch {
	case q.count == 0:
		return
	case p.count == 0:
		p.low, p.high, p.min, p.max = q.low, q.high, q.min, q.max
		p.mean, p.square, p.count = q.mean, q.square, q.count
		return
	}
	p.low, p.high, p.min, p.max = min(p.low, q.low), max(p.high, q.high), min(p.min, q.min), max(p.max, q.max)
	a, b := float64(p.count), float64(q.count)
	p.count += q.count
	delta := q.mean - p.mean
	p.mean += delta * (b / (a + b))
	p.square += q.square + delta*delta*(a*(b/(a+b)))
}

func (p *part[S]) result(exact bool) Result {
	r := Result{Elements: p.elements, Missing: p.missing, NaN: p.nan, Infinite: p.infinite, Count: p.count, Mean: math.NaN(), Std: math.NaN()}
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
