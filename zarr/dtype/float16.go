package dtype

import (
	"math"
	"math/big"
	"strconv"
)

// Float32 is the number's value, exactly; a NaN keeps its sign and payload.
func (h F16) Float32() float32 {
	sign, exp, frac := uint32(h>>15)<<31, uint32(h>>10)&0x1f, uint32(h)&0x3ff
	switch {
	case exp == 0x1f:
		return math.Float32frombits(sign | 0x7f800000 | frac<<13)
	case exp != 0:
		return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
	}
	f := float32(frac) / (1 << 24) // zero or subnormal: exact
	return math.Float32frombits(math.Float32bits(f) | sign)
}

// F16From rounds f to the nearest float16, ties to even; beyond the range is infinity. A NaN keeps its sign and the high
// bits of its payload, and stays a NaN.
func F16From(f float32) F16 {
	bits := math.Float32bits(f)
	if frac := bits & 0x7fffff; bits&0x7f800000 == 0x7f800000 && frac != 0 {
		h := F16(bits>>16&0x8000) | 0x7c00 | F16(frac>>13)
		if frac>>13 == 0 {
			h |= 0x200
		}
		return h
	}
	return roundF16(float64(f))
}

// roundF16 rounds a number that is no NaN once.
func roundF16(f float64) F16 {
	bits := math.Float64bits(f)
	sign := F16(bits >> 48 & 0x8000)
	exp, frac := int(bits>>52&0x7ff), bits&(1<<52-1)
	e := exp - 1008 // exponent in float16's bias
	if e >= 0x1f {
		return sign | 0x7c00
	}
	shift := 42
	if e <= 0 { // subnormal in float16, or zero
		if e < -10 {
			return sign // less than half of the least subnormal
		}
		frac |= 1 << 52
		shift += 1 - e
		e = 0
	}
	h := uint64(e)<<10 + frac>>shift
	rest, half := frac&(1<<shift-1), uint64(1)<<(shift-1)
	if rest > half || rest == half && h&1 == 1 {
		h++ // a carry moves into the exponent, up to infinity
	}
	return sign | F16(h)
}

// parseF16 reads a decimal number, rounded once: rounding to float64 first is done to odd, which keeps the number on its
// side of every midpoint (Boldo and Melquiond, 2008).
func parseF16(s string) F16 {
	f, _ := strconv.ParseFloat(s, 64) // out of range: infinity or zero, which is right
	if math.IsInf(f, 0) || f == 0 {
		return roundF16(f)
	}
	// 256 bits tell any two decimals of the lengths seen apart from a float64; rounding to odd again keeps the rest.
	exact, _, err := big.ParseFloat(s, 10, 256, big.ToZero)
	if err != nil {
		return roundF16(f)
	}
	bits := math.Float64bits(f)
	switch cmp := exact.Abs(exact).Cmp(big.NewFloat(math.Abs(f))); {
	case bits&1 == 0 && cmp > 0:
		bits |= 1
	case bits&1 == 0 && cmp < 0:
		bits--
	}
	return roundF16(math.Float64frombits(bits))
}
