package pcodec

import (
	"math"
	"math/bits"
)

// float16 returns the value of a binary16 number. NaNs keep their payload and become quiet.
func float16(b uint16) float32 {
	sign, exp, man := uint32(b>>15)<<31, uint32(b>>10)&31, uint32(b)&0x3ff
	switch {
	case exp == 31 && man != 0:
		return math.Float32frombits(sign | 0x7fc00000 | man<<13)
	case exp == 31:
		return math.Float32frombits(sign | 0x7f800000)
	case exp == 0 && man == 0:
		return math.Float32frombits(sign)
	case exp == 0:
		shift := uint32(bits.LeadingZeros16(uint16(man))) - 5
		return math.Float32frombits(sign | (113-shift)<<23 | man<<(shift+13)&0x7fffff)
	}
	return math.Float32frombits(sign | (exp+112)<<23 | man<<13)
}

// bits16 rounds f to binary16, ties to even.
func bits16(f float32) uint16 {
	b := math.Float32bits(f)
	sign, exp, man := uint16(b>>16)&0x8000, int(b>>23)&255, b&0x7fffff
	switch {
	case exp == 255 && man != 0:
		return sign | 0x7e00 | uint16(man>>13)
	case exp > 142:
		return sign | 0x7c00
	case exp < 102:
		return sign
	case exp < 113: // subnormal
		shift := uint(126 - exp)
		return sign | uint16(roundShift(man|0x800000, shift))
	}
	return sign | uint16(roundShift(uint32(exp-112)<<23|man, 13))
}

// roundShift returns v >> n, rounded to the nearest number, ties to even.
func roundShift(v uint32, n uint) uint32 {
	half := uint32(1) << (n - 1)
	out, rest := v>>n, v&(half<<1-1)
	if rest > half || rest == half && out&1 != 0 {
		out++
	}
	return out
}
