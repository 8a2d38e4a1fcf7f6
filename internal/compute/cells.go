package compute

import (
	"math"

	"github.com/zargo-io/zargo/cf"
)

// cells are the results for some groups of elements, while elements are added.
type cells[S cf.Number] struct {
	n    []int64   // elements that are not missing
	sum  []float64 // sums; means after settle
	sq   []float64 // sums of the squares of the differences from the mean
	w    []float64 // sums of weights
	isum []int64   // sums of integers
	best []S       // the smallest, largest, first or last element
}

// kernel adds elements to cells by loops over slices.
type kernel[S cf.Number] struct {
	op       Op
	missing  S
	has      bool // missing marks missing elements
	whole    bool // sums of integers are exact
	wide     bool // sums of integers of 8 bytes may overflow, which the floating-point sum shows
	weighted bool
	raw      bool // missing elements are like others
}

// cellBytes returns the bytes of a cell.
func (k kernel[S]) cellBytes(size int) int64 {
	n := int64(8)
	switch {
	case k.op.moves():
		n += int64(size)
	case k.op == Std, k.wide:
		n += 16
	case k.op != Count:
		n += 8
	}
	if k.weighted {
		n += 8
	}
	return n
}

func (k kernel[S]) make(n int) *cells[S] {
	c := &cells[S]{n: make([]int64, n)}
	switch {
	case k.op.moves():
		c.best = make([]S, n)
	case k.op == Count:
	default:
		if k.whole {
			c.isum = make([]int64, n)
		}
		if !k.whole || k.wide {
			c.sum = make([]float64, n)
		}
	}
	if k.op == Std {
		c.sq = make([]float64, n)
	}
	if k.weighted {
		c.w = make([]float64, n)
	}
	return c
}

// valid reports whether an element is not missing.
func (k *kernel[S]) valid(v S) bool { return k.raw || k.present(v) }

func (k *kernel[S]) present(v S) bool { return v == v && !(k.has && v == k.missing) }

// row adds each element of x to a cell of its own, from cell at on. w are the weights, or nil.
func (k *kernel[S]) row(c *cells[S], at int, x []S, w []float64) {
	n := c.n[at:][:len(x)]
	switch {
	case w != nil:
		k.weightedRow(c, at, x, w)
	case k.op == Count:
		for i, v := range x {
			if k.valid(v) {
				n[i]++
			}
		}
	case k.whole:
		sum := c.isum[at:][:len(x)]
		for i, v := range x {
			if k.valid(v) {
				sum[i] += int64(v)
				n[i]++
				if k.wide {
					c.sum[at+i] += float64(v)
				}
			}
		}
	case k.op.moves():
		k.bestRow(c.best[at:][:len(x)], n, x)
	default:
		sum, has, missing := c.sum[at:][:len(x)], k.has, k.missing
		for i, v := range x {
			if v == v && !(has && v == missing) {
				sum[i] += float64(v)
				n[i]++
			}
		}
	}
}

func (k *kernel[S]) bestRow(best []S, n []int64, x []S) {
	for i, v := range x {
		if !k.valid(v) {
			continue
		}
		if n[i] == 0 || k.op == Min && v < best[i] || k.op == Max && v > best[i] || k.op == Last {
			best[i] = v
		}
		n[i]++
	}
}

func (k *kernel[S]) weightedRow(c *cells[S], at int, x []S, w []float64) {
	n, sum, weights := c.n[at:][:len(x)], c.sum[at:][:len(x)], c.w[at:][:len(x)]
	w = w[:len(x)]
	for i, v := range x {
		if k.valid(v) {
			sum[i] += float64(w[i] * float64(v))
			weights[i] += w[i]
			n[i]++
		}
	}
}

// run adds all elements of x to one cell.
func (k *kernel[S]) run(c *cells[S], at int, x []S, w []float64) {
	switch {
	case w != nil:
		for i, v := range x {
			if k.valid(v) {
				c.sum[at] += w[i] * float64(v)
				c.w[at] += w[i]
				c.n[at]++
			}
		}
	case k.op == Count:
		for _, v := range x {
			if k.valid(v) {
				c.n[at]++
			}
		}
	case k.whole:
		sum, n := int64(0), int64(0)
		for _, v := range x {
			if k.valid(v) {
				sum += int64(v)
				n++
				if k.wide {
					c.sum[at] += float64(v)
				}
			}
		}
		c.isum[at] += sum
		c.n[at] += n
	case k.op.moves():
		for i := range x {
			k.bestRow(c.best[at:at+1], c.n[at:at+1], x[i:i+1])
		}
	default:
		sum, n := k.total(x)
		c.sum[at] += sum
		c.n[at] += n
	}
}

// total returns the sum of the elements that are not missing, and their number.
func (k *kernel[S]) total(x []S) (sum float64, n int64) {
	// Four sums, because an addition waits for the previous one.
	var s0, s1, s2, s3 float64
	has, missing := k.has, k.missing
	for ; len(x) >= 4; x = x[4:] {
		v := x[:4:4]
		a, b, c, d := v[0], v[1], v[2], v[3]
		if a != a || b != b || c != c || d != d || has && (a == missing || b == missing || c == missing || d == missing) {
			for _, v := range v {
				if k.valid(v) {
					s0 += float64(v)
					n++
				}
			}
			continue
		}
		s0 += float64(a)
		s1 += float64(b)
		s2 += float64(c)
		s3 += float64(d)
		n += 4
	}
	for _, v := range x {
		if k.valid(v) {
			s0 += float64(v)
			n++
		}
	}
	return (s0 + s1) + (s2 + s3), n
}

// settle changes the sums to means, after which squares are added.
func (k *kernel[S]) settle(c *cells[S]) {
	for i, n := range c.n {
		d := float64(n)
		if k.weighted {
			d = c.w[i]
		}
		if n > 0 {
			c.sum[i] /= d
		}
	}
}

// squareRow and squareRun are row and run for the squares of the differences from the mean.
func (k *kernel[S]) squareRow(c *cells[S], at int, x []S, w []float64) {
	sq, mean := c.sq[at:][:len(x)], c.sum[at:][:len(x)]
	for i, v := range x {
		if k.valid(v) {
			d := float64(v) - mean[i]
			if d *= d; w != nil {
				d *= w[i]
			}
			sq[i] += d
		}
	}
}

func (k *kernel[S]) squareRun(c *cells[S], at int, x []S, w []float64) {
	sq, mean := 0.0, c.sum[at]
	for i, v := range x {
		if k.valid(v) {
			d := float64(v) - mean
			if d *= d; w != nil {
				d *= w[i]
			}
			sq += d
		}
	}
	c.sq[at] += sq
}

// merge adds the n cells of b from cell from on to those of a from cell to on. The elements of b
// follow those of a.
func (k *kernel[S]) merge(a *cells[S], to int, b *cells[S], from, n int) {
	for i := range n {
		k.mergeOne(a, to+i, b, from+i)
	}
}

func (k *kernel[S]) mergeOne(a *cells[S], i int, b *cells[S], j int) {
	m := b.n[j]
	if m == 0 {
		return
	}
	switch {
	case k.op.moves():
		if v := b.best[j]; a.n[i] == 0 || k.op == Min && v < a.best[i] || k.op == Max && v > a.best[i] || k.op == Last {
			a.best[i] = v
		}
	case k.op == Count:
	case k.whole:
		if a.isum[i] += b.isum[j]; k.wide {
			a.sum[i] += b.sum[j]
		}
	case k.op == Std:
		x, y := float64(a.n[i]), float64(m)
		if k.weighted {
			x, y = a.w[i], b.w[j]
		}
		if a.n[i] == 0 {
			a.sum[i], a.sq[i] = b.sum[j], b.sq[j]
		} else if x+y != 0 {
			d := b.sum[j] - a.sum[i]
			a.sum[i] += d * (y / (x + y))
			a.sq[i] += b.sq[j] + d*d*(x*(y/(x+y)))
		}
	default:
		a.sum[i] += b.sum[j]
	}
	if k.weighted {
		a.w[i] += b.w[j]
	}
	a.n[i] += m
}

// value returns the decoded result of a cell with elements as a float64.
func (k *kernel[S]) value(c *cells[S], i int, l cf.Loop[S]) float64 {
	n := float64(c.n[i])
	switch {
	case k.op == Count:
		return n
	case k.op.moves():
		return float64(float64(c.best[i])*l.Scale) + l.Offset
	case k.op == Std:
		d := n
		if k.weighted {
			d = c.w[i]
		}
		return math.Sqrt(max(c.sq[i], 0)/d) * math.Abs(l.Scale)
	}
	sum, d := 0.0, n
	if k.whole {
		sum = float64(c.isum[i])
	} else {
		sum = c.sum[i]
	}
	if k.weighted {
		d = c.w[i]
	}
	if k.op == Sum {
		return float64(sum*l.Scale) + float64(d*l.Offset)
	}
	return float64(sum/d*l.Scale) + l.Offset
}
