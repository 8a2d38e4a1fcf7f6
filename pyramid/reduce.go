package pyramid

import (
	"math"

	"github.com/zargo-io/zargo/cf"
)

func (r *reducing[S]) reduce(dst []byte, shape, at, out []int, src []byte, in, factor []int) error {
	last := len(out) - 1
	most := 1
	for _, f := range factor {
		most *= f
	}
	w, row, missing, reduced := r.windows(most), make([]S, in[last]), make([]bool, in[last]), make([]S, out[last])
	to := make([]int, last)   // row of the box
	from := make([]int, last) // row of the window
	for {
		w.reset(out[last])
		clear(from)
		for {
			offset := 0
			for d := range last {
				offset = offset*in[d] + to[d]*factor[d] + from[d]
			}
			r.get(row, src[offset*in[last]*r.size:])
			if err := r.missing(missing, row); err != nil {
				return err
			}
			w.add(row, missing, factor[last])
			if !next(from, func(d int) int { return min(factor[d], in[d]-to[d]*factor[d]) }) {
				break
			}
		}
		w.result(reduced)
		offset := 0
		for d := range last {
			offset = offset*shape[d] + at[d] + to[d]
		}
		offset = offset*shape[last] + at[last]
		r.put(dst[offset*r.size:], reduced)
		if !next(to, func(d int) int { return out[d] }) {
			return nil
		}
	}
}

// reducing is the reducer of one Go type.
type reducing[S cf.Number] struct {
	elements[S]
	missing func(dst []bool, row []S) error
	windows func(most int) windows[S]
}

// next advances a position in C order. It returns false after the last one.
func next(at []int, length func(d int) int) bool {
	for d := len(at) - 1; d >= 0; d-- {
		if at[d]++; at[d] < length(d) {
			return true
		}
		at[d] = 0
	}
	return false
}

// nan sets each dst[i] to true if row[i] is NaN, and to false otherwise.
func nan[S cf.Number](dst []bool, row []S) error {
	for i, v := range row {
		dst[i] = v != v
	}
	return nil
}

// coded returns a function that finds missing elements by the CF conventions.
func coded[S cf.Number](c *cf.Coding) func(dst []bool, row []S) error {
	return func(dst []bool, row []S) error {
		_, err := cf.Missing(c, dst, row)
		return err
	}
}

// none returns the stored missing value of a coding. If the coding lacks a missing value, the
// result is unused.
func none[S cf.Number](c *cf.Coding) S {
	v := make([]S, 1)
	if c != nil {
		_ = cf.Encode(c, v, []float64{math.NaN()})
	}
	return v[0]
}

// reducer reduces the windows of a box to elements in memory form. It is stateless and safe for
// concurrent use.
type reducer interface {
	// reduce computes the elements of a box and writes them to dst, which has the given shape. The
	// box starts at position at in dst and has the shape out. src contains the windows of the box
	// and has the shape in: along each dimension, factor elements for each element of the box, or
	// fewer for the last element.
	reduce(dst []byte, shape, at, out []int, src []byte, in, factor []int) error
}
