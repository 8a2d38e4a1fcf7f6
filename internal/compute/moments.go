package compute

import (
	"math"

	"github.com/zargo-io/zargo/cf"
)

// part summarizes stored elements.
type part[S cf.Number] struct {
	elements, missing, nan, infinite, count int64

	low, high S // smallest and largest stored element that is counted
	min, max  float64
	mean      float64
	square    float64 // sum of the squares of the differences from the mean
}

// segment is the number of elements whose sums are computed without a merge. 64 Ki elements are
// summed to nearly the precision of float64.
const segment = 1 << 16

// poor is the maximum ratio of the square of the distance of the shift from the mean to the
// variance. Above, the variance would lose about two decimal digits.
const poor = 64

// summarized returns the summary of a segment. l must not be Several or Flipped.
func summarized[S cf.Number](x []S, l cf.Loop[S]) part[S] {
	p := part[S]{elements: int64(len(x))}
	first := 0
	for first < len(x) && !counts(x[first], l) {
		first++
	}
	if first == len(x) {
		p.leaveOut(x, l)
		return p
	}
	m := sums[S]{shift: float64(x[first]), low: x[first], high: x[first]}
	m.add(x, l)
	n := float64(m.count)
	if between := m.sum * m.sum / n; between > poor*(m.square-between) {
		again := sums[S]{shift: m.shift + m.sum/n, low: m.low, high: m.high}
		again.add(x, l)
		m = again
	}
	p.count, p.low, p.high, p.min, p.max = m.count, m.low, m.high, float64(m.low), float64(m.high)
	// The rounding errors are those of two operations.
	if p.mean = math.FMA(m.shift, n, m.sum) / n; p.mean-p.mean != 0 {
		p.mean = m.shift + m.sum/n // the sum is too large for a float64
	}
	p.square = max(m.square-m.sum*m.sum/n, 0)
	if p.count < p.elements {
		p.leaveOut(x, l)
	}
	return p
}

// counts reports whether an element is neither missing nor infinite.
func counts[S cf.Number](v S, l cf.Loop[S]) bool {
	f := float64(v)
	return f-f == 0 && !(l.Has && v == l.Missing)
}

// leaveOut counts the elements that are missing or infinite.
func (p *part[S]) leaveOut(x []S, l cf.Loop[S]) {
	for _, v := range x {
		switch {
		case v != v:
			p.nan++
			p.missing++
		case l.Has && v == l.Missing:
			p.missing++
		case math.IsInf(float64(v), 0):
			p.infinite++
		}
	}
}

// sums are the sums of the differences of elements from shift, and of their squares.
type sums[S cf.Number] struct {
	shift, sum, square float64
	count              int64
	low, high          S
}

// add adds the elements that are neither missing nor infinite.
func (m *sums[S]) add(x []S, l cf.Loop[S]) {
	// Four sums of each kind, because an addition waits for the previous one.
	var s0, s1, s2, s3, q0, q1, q2, q3 float64
	low, high, shift, count := m.low, m.high, m.shift, int64(0)
	has, missing := l.Has, l.Missing
	for ; len(x) >= 4; x = x[4:] {
		v := x[:4:4]
		a, b, c, d := v[0], v[1], v[2], v[3]
		f, g, h, i := float64(a)-shift, float64(b)-shift, float64(c)-shift, float64(d)-shift
		if t := (f + g) + (h + i); t-t != 0 || has && (a == missing || b == missing || c == missing || d == missing) {
			for _, v := range v {
				if counts(v, l) {
					f := float64(v) - shift
					low, high = min(low, v), max(high, v)
					s0 += f
					q0 += f * f
					count++
				}
			}
			continue
		}
		if a < low {
			low = a
		}
		if b < low {
			low = b
		}
		if c < low {
			low = c
		}
		if d < low {
			low = d
		}
		if a > high {
			high = a
		}
		if b > high {
			high = b
		}
		if c > high {
			high = c
		}
		if d > high {
			high = d
		}
		s0 += f
		s1 += g
		s2 += h
		s3 += i
		q0 += f * f
		q1 += g * g
		q2 += h * h
		q3 += i * i
		count += 4
	}
	for _, v := range x {
		if counts(v, l) {
			f := float64(v) - shift
			low, high = min(low, v), max(high, v)
			s0 += f
			q0 += f * f
			count++
		}
	}
	m.low, m.high, m.count = low, high, count
	m.sum, m.square = (s0+s1)+(s2+s3), (q0+q1)+(q2+q3)
}

// merge adds the summary of other elements.
func (p *part[S]) merge(q part[S]) {
	p.elements += q.elements
	p.missing += q.missing
	p.nan += q.nan
	p.infinite += q.infinite
	switch {
	case q.count == 0:
		return
	case p.count == 0:
		p.low, p.high, p.min, p.max, p.mean, p.square, p.count = q.low, q.high, q.min, q.max, q.mean, q.square, q.count
		return
	}
	p.low, p.high, p.min, p.max = min(p.low, q.low), max(p.high, q.high), min(p.min, q.min), max(p.max, q.max)
	n, m := float64(p.count), float64(q.count)
	d := q.mean - p.mean
	p.mean += d * (m / (n + m))
	p.square += q.square + d*d*(n*(m/(n+m)))
	p.count += q.count
}
