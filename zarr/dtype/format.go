package dtype

import (
	"math"
	"math/big"
	"strconv"
)

// format is a binary floating-point format: a sign, an exponent and a fraction.
type format struct {
	bits, frac, bias int
	special          special
}

// special specifies which bit patterns of a format are not finite numbers.
type special uint8

const (
	ieee   special = iota // the highest exponent means infinity and NaN
	fn                    // no infinity; all ones in exponent and fraction mean NaN
	fnuz                  // no infinity and no -0, whose pattern means NaN
	finite                // all patterns are numbers
	scale                 // no sign, no fraction, no zero; all ones mean NaN
)

// The formats have the names that zarr-extensions and LLVM use. A float32 must be able to represent
// every number of a format other than binary64.
var (
	binary16    = format{16, 10, 15, ieee}
	binary32    = format{32, 23, 127, ieee}
	binary64    = format{64, 52, 1023, ieee}
	bfloat16    = format{16, 7, 127, ieee}
	e3m4        = format{8, 4, 3, ieee}
	e4m3        = format{8, 3, 7, ieee}
	e4m3b11fnuz = format{8, 3, 11, fnuz}
	e4m3fn      = format{8, 3, 7, fn}
	e4m3fnuz    = format{8, 3, 8, fnuz}
	e5m2        = format{8, 2, 15, ieee}
	e5m2fnuz    = format{8, 2, 16, fnuz}
	e8m0fnu     = format{8, 0, 127, scale}
	e2m3fn      = format{6, 3, 1, finite}
	e3m2fn      = format{6, 2, 3, finite}
	e2m1fn      = format{4, 1, 1, finite}
)

// sign returns the pattern of the sign bit, or 0 if the format is unsigned.
func (m format) sign() uint64 {
	if m.special == scale {
		return 0
	}
	return 1 << (m.bits - 1)
}

// expMax returns the highest exponent, all ones.
func (m format) expMax() uint64 {
	if m.special == scale {
		return 0xff
	}
	return 1<<(m.bits-1-m.frac) - 1
}

// nan returns the pattern of "NaN" in metadata, and reports whether the format has a NaN.
func (m format) nan() (uint64, bool) {
	switch m.special {
	case ieee:
		return m.expMax()<<m.frac | 1<<(m.frac-1), true
	case fn:
		return m.sign() - 1, true
	case fnuz:
		return m.sign(), true
	case scale:
		return 0xff, true
	}
	return 0, false
}

// isNaN reports whether a pattern is a NaN.
func (m format) isNaN(x uint64) bool {
	abs := x &^ m.sign()
	switch m.special {
	case ieee:
		return abs > m.expMax()<<m.frac
	case fn:
		return abs == m.sign()-1
	case fnuz:
		return x == m.sign()
	case scale:
		return x == 0xff
	}
	return false
}

// largest returns the pattern of the largest number.
func (m format) largest() uint64 {
	switch m.special {
	case ieee:
		return m.expMax()<<m.frac - 1
	case fn:
		return m.sign() - 2
	case scale:
		return 0xfe
	}
	return m.sign() - 1
}

// value returns the number that a pattern represents. A NaN loses its payload.
func (m format) value(x uint64) float64 {
	if m.bits == 64 {
		return math.Float64frombits(x)
	}
	if m.isNaN(x) {
		return math.NaN()
	}
	abs := x &^ m.sign()
	exp, frac := int(abs>>m.frac), abs&(1<<m.frac-1)
	var f float64
	switch {
	case m.special == ieee && exp == int(m.expMax()):
		f = math.Inf(1)
	case exp == 0 && m.special != scale:
		f = math.Ldexp(float64(frac), 1-m.bias-m.frac)
	default:
		f = math.Ldexp(float64(frac|1<<m.frac), exp-m.bias-m.frac)
	}
	if x != abs {
		return -f
	}
	return f
}

// round returns the pattern of the number nearest to f, ties to even. f must not be NaN. fits is
// false if f is too large, is negative in a format without sign, or is zero in a format without
// zero. The pattern is then infinity if the format has infinity, and otherwise the nearest number.
func (m format) round(f float64) (x uint64, fits bool) {
	if m.bits == 64 {
		return math.Float64bits(f), true
	}
	bits := math.Float64bits(f)
	negative := bits>>63 == 1
	abs, ok := m.roundAbs(bits &^ (1 << 63))
	if m.special == scale {
		return abs, ok && !negative && f != 0
	}
	if negative && (m.special != fnuz || abs != 0) {
		abs |= m.sign()
	}
	return abs, ok
}

// roundAbs rounds the magnitude of a float64, passed as its bits.
func (m format) roundAbs(bits uint64) (x uint64, fits bool) {
	beyond := m.largest()
	if m.special == ieee {
		beyond++ // infinity
	}
	exp, frac := int(bits>>52), bits&(1<<52-1)
	if exp == 0x7ff {
		return beyond, m.special == ieee
	}
	e := exp - 1023 + m.bias
	if e > int(m.expMax()) {
		return beyond, false
	}
	shift := 52 - m.frac
	switch {
	case m.special == scale:
		if e < 0 {
			return 0, true
		}
	case exp == 0: // zero, or less than half of the smallest number of all formats
		return 0, true
	case e <= 0: // subnormal in this format, or zero
		frac |= 1 << 52
		shift += 1 - e
		e = 0
	}
	if shift > 53 {
		return 0, true
	}
	h := uint64(e)<<m.frac + frac>>shift
	rest, half := frac&(1<<shift-1), uint64(1)<<(shift-1)
	// Without a fraction no number is even, and the larger one is chosen (IEEE 754-2019, 4.3.1).
	if rest > half || rest == half && (h&1 == 1 || m.special == scale) {
		h++ // a carry moves into the exponent, up to infinity
	}
	if h > m.largest() {
		return beyond, false
	}
	return h, true
}

// toOdd parses a decimal number and rounds it to odd. The resulting float64 is on the same side of
// every midpoint between numbers of a smaller format, so rounding it again is the same as rounding
// the decimal once (Boldo and Melquiond, 2008).
func toOdd(s string) float64 {
	f, _ := strconv.ParseFloat(s, 64) // infinity or zero if out of range, as intended
	if math.IsInf(f, 0) || f == 0 {
		return f
	}
	// 256 bits suffice to compare any decimal of an accepted length with f. If they differ and f is
	// even, replace f by its odd neighbor on the side of the decimal.
	exact, _, err := big.ParseFloat(s, 10, 256, big.ToZero)
	if err != nil {
		return f
	}
	bits := math.Float64bits(f)
	switch cmp := exact.Abs(exact).Cmp(big.NewFloat(math.Abs(f))); {
	case bits&1 == 0 && cmp > 0:
		bits |= 1
	case bits&1 == 0 && cmp < 0:
		bits--
	}
	return math.Float64frombits(bits)
}
