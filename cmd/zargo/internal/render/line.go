package render

import "math"

// Line is a line of values for a plot. It holds the mean of the values in each column of the plot,
// so its memory does not depend on the number of values.
type Line struct {
	n, seen int
	means   []float64
	counts  []int
	missing int
}

// NewLine returns a line of n values, to be drawn in at most the given number of columns.
func NewLine(n, columns int) *Line {
	columns = max(min(n, columns), 1)
	return &Line{n: n, means: make([]float64, columns), counts: make([]int, columns)}
}

// Add adds the next value. NaN is a missing value, and so are the infinities.
func (l *Line) Add(v float64) {
	k := l.columnOf(l.seen)
	if l.seen++; math.IsNaN(v) || math.IsInf(v, 0) {
		l.missing++
		return
	}
	l.counts[k]++
	n := float64(l.counts[k])
	l.means[k] += v/n - l.means[k]/n // does not overflow, unlike a sum
}

// columnOf returns the column of the i-th value.
func (l *Line) columnOf(i int) int {
	return min(int(float64(i)*float64(len(l.means))/float64(l.n)), len(l.means)-1)
}

// within returns the line in at most the given number of columns.
func (l *Line) within(columns int) *Line {
	if len(l.means) <= columns {
		return l
	}
	out := NewLine(len(l.means), columns)
	for i, v := range l.means {
		k := out.columnOf(i)
		if n := l.counts[i]; n > 0 {
			out.counts[k] += n
			f := float64(n) / float64(out.counts[k])
			out.means[k] = out.means[k]*(1-f) + v*f
		}
	}
	out.n, out.missing = l.n, l.missing
	return out
}

// bounds returns the smallest and the largest mean. If there is none, the smallest is +Inf and the
// largest -Inf.
func (l *Line) bounds() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for k := range l.means {
		if v := l.mean(k); !math.IsNaN(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high
}

// at returns the value at column k, or between it and the next column: f is the distance from k,
// from 0 up to, but not including, 1. The value is interpolated, or that of the nearer column if
// one of them is a gap. It is NaN at a gap.
func (l *Line) at(k int, f float64) float64 {
	if f == 0 || k+1 == len(l.means) {
		return l.mean(k)
	}
	left, right := l.mean(k), l.mean(k+1)
	switch {
	case !math.IsNaN(left) && !math.IsNaN(right):
		return left*(1-f) + right*f
	case f < 0.5:
		return left
	}
	return right
}

func (l *Line) mean(k int) float64 {
	if l.counts[k] == 0 {
		return math.NaN()
	}
	return l.means[k]
}
