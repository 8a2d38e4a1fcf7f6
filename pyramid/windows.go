package pyramid

import (
	"math"
	"math/bits"
	"slices"

	"github.com/zargo-io/zargo/cf"
)

// windows reduces the windows of one row of the result. The caller calls reset with the length of
// the row, then add with each source row of the windows, then result. A window has f elements along
// the last dimension, or fewer at the end of the row.
type windows[S cf.Number] interface {
	reset(n int)
	add(row []S, missing []bool, f int)
	result(dst []S)
}

// floatMeans computes means of floating-point numbers in float64.
type floatMeans[S cf.Number] struct {
	none  S // result of a window whose elements are all missing
	sums  []float64
	count []int
}

func (m *floatMeans[S]) reset(n int) {
	m.sums, m.count = zeros(m.sums, n), zeros(m.count, n)
}

func (m *floatMeans[S]) add(row []S, missing []bool, f int) {
	for k := 0; len(row) > 0; k++ {
		n := min(f, len(row))
		for i, v := range row[:n] {
			if !missing[i] {
				m.sums[k] += float64(v)
				m.count[k]++
			}
		}
		row, missing = row[n:], missing[n:]
	}
}

func (m *floatMeans[S]) result(dst []S) {
	for k := range dst {
		if dst[k] = m.none; m.count[k] > 0 {
			dst[k] = S(m.sums[k] / float64(m.count[k]))
		}
	}
}

// order maps the integers of a type to uint64 and preserves their order.
type order struct {
	mask uint64 // all bits of the type
	flip uint64 // the sign bit for signed integers, otherwise 0
}

// intMeans computes means of integers. Sums have 128 bits, so a mean is exact until it is rounded.
type intMeans[S cf.Number] struct {
	order
	none      S
	high, low []uint64
	count     []int
}

func (m *intMeans[S]) reset(n int) {
	m.high, m.low, m.count = zeros(m.high, n), zeros(m.low, n), zeros(m.count, n)
}

func (m *intMeans[S]) add(row []S, missing []bool, f int) {
	for k := 0; len(row) > 0; k++ {
		n := min(f, len(row))
		for i, v := range row[:n] {
			if !missing[i] {
				var carry uint64
				m.low[k], carry = bits.Add64(m.low[k], uint64(v)&m.mask^m.flip, 0)
				m.high[k] += carry
				m.count[k]++
			}
		}
		row, missing = row[n:], missing[n:]
	}
}

func (m *intMeans[S]) result(dst []S) {
	for k := range dst {
		if dst[k] = m.none; m.count[k] == 0 {
			continue
		}
		n := uint64(m.count[k]) //nolint:gosec // positive
		// The mean is less than 2^64, so high < n. Flipping the sign bit keeps even numbers even,
		// so rounding ties to even is correct.
		q, r := bits.Div64(m.high[k], m.low[k], n)
		if r > n-r || r == n-r && q&1 == 1 {
			q++
		}
		dst[k] = S(q ^ m.flip)
	}
}

// modes finds the most frequent element of each window. values holds up to most elements of each
// window.
type modes[S cf.Number] struct {
	less   func(a, b S) int
	none   S
	most   int // maximum number of elements of a window
	values []S
	count  []int
}

func (m *modes[S]) reset(n int) {
	if len(m.values) < n*m.most {
		m.values = make([]S, n*m.most)
	}
	m.count = zeros(m.count, n)
}

func (m *modes[S]) add(row []S, missing []bool, f int) {
	for k := 0; len(row) > 0; k++ {
		n := min(f, len(row))
		for i, v := range row[:n] {
			if !missing[i] {
				m.values[k*m.most+m.count[k]] = v
				m.count[k]++
			}
		}
		row, missing = row[n:], missing[n:]
	}
}

func (m *modes[S]) result(dst []S) {
	for k := range dst {
		window := m.values[k*m.most:][:m.count[k]]
		slices.SortFunc(window, m.less)
		dst[k] = m.none
		for best := 0; len(window) > 0; {
			n := 1
			for n < len(window) && window[n] == window[0] {
				n++
			}
			if n > best {
				best, dst[k] = n, window[0]
			}
			window = window[n:]
		}
	}
}

// zeros returns n zeros. It reuses s if its capacity suffices.
func zeros[T int | uint64 | float64](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	clear(s[:n])
	return s[:n]
}

// orderOf returns the order of integers of size bytes.
func orderOf(size int, signed bool) order {
	o := order{mask: math.MaxUint64 >> (64 - 8*size)} //nolint:gosec // size is 1 to 8
	if signed {
		o.flip = 1 << (8*size - 1) //nolint:gosec // size is 1 to 8
	}
	return o
}

// compare returns a function that compares stored integers.
func compare[S cf.Number](o order) func(a, b S) int {
	return func(a, b S) int {
		x, y := uint64(a)&o.mask^o.flip, uint64(b)&o.mask^o.flip
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	}
}
