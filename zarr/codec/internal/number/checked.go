package number

import (
	"math"
	"math/bits"
	"strconv"
)

func (c Checked) text(u uint64) string {
	if c.Type.Kind == Uint {
		return strconv.FormatUint(u, 10)
	}
	return strconv.FormatInt(int64(u), 10)
}

// fits reports whether the type of c can represent u.
func (c Checked) fits(u uint64) bool { return c.Type.wrap(u) == u }

func (c Checked) sub(a, b uint64) (uint64, bool) {
	d := a - b
	if c.Type.Kind == Uint {
		return d, a >= b
	}
	overflow := (a^b)&(a^d)>>63 == 1
	return d, !overflow && c.fits(d)
}

func (c Checked) add(a, b uint64, ok bool) (uint64, bool) {
	s := a + b
	if c.Type.Kind == Uint {
		return s, ok && s >= a && c.fits(s)
	}
	overflow := (a^s)&(b^s)>>63 == 1
	return s, ok && !overflow && c.fits(s)
}

func (c Checked) mul(a, b uint64, ok bool) (uint64, bool) {
	if c.Type.Kind == Uint {
		hi, lo := bits.Mul64(a, b)
		return lo, ok && hi == 0 && c.fits(lo)
	}
	x, y := int64(a), int64(b)
	p := x * y
	exact := x == 0 || p/x == y && (x != -1 || y != math.MinInt64)
	return uint64(p), ok && exact && c.fits(uint64(p))
}

// div returns a divided by b, rounded down as by numpy. It returns false on overflow.
func (c Checked) div(a, b uint64) (uint64, bool) {
	if c.Type.Kind == Uint {
		return a / b, true
	}
	x, y := int64(a), int64(b)
	if x == math.MinInt64 && y == -1 {
		return 0, false
	}
	q := x / y
	if x%y != 0 && (x < 0) != (y < 0) {
		q--
	}
	return uint64(q), c.fits(uint64(q))
}
