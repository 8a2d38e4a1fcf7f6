package dtype

import "math"

// The types of small floats. A value contains the bits of one number. The method Float32 returns
// this number exactly. [Round] converts a float64 to a small float.
type (
	// F16 is IEEE 754 binary16.
	F16 uint16
	// BF16 is the upper half of an IEEE 754 binary32: 8 bits of exponent, 7 of fraction.
	BF16 uint16
	// F8E3M4 has 3 bits of exponent and 4 of fraction, infinities and NaNs.
	F8E3M4 uint8
	// F8E4M3 has 4 bits of exponent and 3 of fraction, infinities and NaNs.
	F8E4M3 uint8
	// F8E4M3B11FNUZ has 4 bits of exponent with bias 11 and 3 of fraction, one NaN, no infinity and
	// no -0.
	F8E4M3B11FNUZ uint8
	// F8E4M3FN has 4 bits of exponent and 3 of fraction, a NaN of either sign, no infinity.
	F8E4M3FN uint8
	// F8E4M3FNUZ has 4 bits of exponent with bias 8 and 3 of fraction, one NaN, no infinity and no
	// -0.
	F8E4M3FNUZ uint8
	// F8E5M2 has 5 bits of exponent and 2 of fraction, infinities and NaNs.
	F8E5M2 uint8
	// F8E5M2FNUZ has 5 bits of exponent with bias 16 and 2 of fraction, one NaN, no infinity and no
	// -0.
	F8E5M2FNUZ uint8
	// F8E8M0FNU is a power of two, 2^-127 to 2^127, or NaN.
	F8E8M0FNU uint8
	// F6E2M3FN has 2 bits of exponent and 3 of fraction, no infinity and no NaN.
	F6E2M3FN uint8
	// F6E3M2FN has 3 bits of exponent and 2 of fraction, no infinity and no NaN.
	F6E3M2FN uint8
	// F4E2M1FN has 2 bits of exponent and 1 of fraction, no infinity and no NaN.
	F4E2M1FN uint8
)

// SmallFloat is the constraint for small floats.
type SmallFloat interface {
	F16 | BF16 | F8E3M4 | F8E4M3 | F8E4M3B11FNUZ | F8E4M3FN | F8E4M3FNUZ | F8E5M2 | F8E5M2FNUZ | F8E8M0FNU | F6E2M3FN | F6E3M2FN | F4E2M1FN
	Float32() float32
	format() format
}

// Complex is a complex number whose real and imaginary parts are small floats.
type Complex[T SmallFloat] [2]T

// Complex64 returns the exact value of c.
func (c Complex[T]) Complex64() complex64 { return complex(c[0].Float32(), c[1].Float32()) }

// Round returns the nearest number of a small format, ties to even. A number out of range becomes
// infinity if the format has it, else NaN, else the largest number. A NaN keeps its sign and as
// many high bits of its payload as the format has. If the format lacks NaN, a NaN becomes -0.
// F8E8M0FNU represents zero and negative numbers as NaN.
func Round[T SmallFloat](f float64) T {
	var m = T(0).format()
	if f != f {
		return T(m.roundNaN(math.Float64bits(f)))
	}
	x, fits := m.round(f)
	if fits || m.special == ieee || m.special == finite {
		return T(x)
	}
	nan, _ := m.nan()
	if m.special == fn {
		nan |= x & m.sign()
	}
	return T(nan)
}

// roundNaN returns the NaN of the format that is closest to a NaN of a float64, passed as its bits.
func (m format) roundNaN(bits uint64) uint64 {
	x, ok := m.nan()
	if !ok {
		return m.sign()
	}
	switch m.special {
	case ieee:
		frac := bits & (1<<52 - 1) >> (52 - m.frac)
		if frac == 0 {
			return x | bits>>63*m.sign()
		}
		return m.expMax()<<m.frac | frac | bits>>63*m.sign()
	case fn:
		return x | bits>>63*m.sign()
	}
	return x
}

// float32 returns the value of a bit pattern. A NaN keeps its sign and payload.
func (m format) float32(x uint64) float32 {
	if !m.isNaN(x) {
		return float32(m.value(x))
	}
	payload := uint64(1) << 22
	if m.special == ieee {
		payload = x & (1<<m.frac - 1) << (23 - m.frac)
	}
	var sign uint64
	if m.special != fnuz && x&m.sign() != 0 {
		sign = 1 << 31
	}
	return math.Float32frombits(uint32(sign | 0xff<<23 | payload))
}

// Float32 returns the exact value of f. A NaN keeps its sign and payload.
func (f F16) Float32() float32 { return binary16.float32(uint64(f)) }

// Float32 returns the exact value of f. A NaN keeps its sign and payload.
func (f BF16) Float32() float32 { return math.Float32frombits(uint32(f) << 16) }

// Float32 returns the exact value of f.
func (f F8E3M4) Float32() float32 { return e3m4.float32(uint64(f)) }

// Float32 returns the exact value of f.
func (f F8E4M3) Float32() float32 { return e4m3.float32(uint64(f)) }

// Float32 returns the exact value of f.
func (f F8E4M3B11FNUZ) Float32() float32 { return e4m3b11fnuz.float32(uint64(f)) }

// Float32 returns the exact value of f.
func (f F8E4M3FN) Float32() float32 { return e4m3fn.float32(uint64(f)) }

// Float32 returns the exact value of f.
func (f F8E4M3FNUZ) Float32() float32 { return e4m3fnuz.float32(uint64(f)) }

// Float32 returns the exact value of f.
func (f F8E5M2) Float32() float32 { return e5m2.float32(uint64(f)) }

// Float32 returns the exact value of f.
func (f F8E5M2FNUZ) Float32() float32 { return e5m2fnuz.float32(uint64(f)) }

// Float32 returns the exact value of f.
func (f F8E8M0FNU) Float32() float32 { return e8m0fnu.float32(uint64(f)) }

// Float32 returns the exact value of f, ignoring the bits above the sixth.
func (f F6E2M3FN) Float32() float32 { return e2m3fn.float32(uint64(f) & 0x3f) }

// Float32 returns the exact value of f, ignoring the bits above the sixth.
func (f F6E3M2FN) Float32() float32 { return e3m2fn.float32(uint64(f) & 0x3f) }

// Float32 returns the exact value of f, ignoring the bits above the fourth.
func (f F4E2M1FN) Float32() float32 { return e2m1fn.float32(uint64(f) & 0xf) }

func (F16) format() format           { return binary16 }
func (BF16) format() format          { return bfloat16 }
func (F8E3M4) format() format        { return e3m4 }
func (F8E4M3) format() format        { return e4m3 }
func (F8E4M3B11FNUZ) format() format { return e4m3b11fnuz }
func (F8E4M3FN) format() format      { return e4m3fn }
func (F8E4M3FNUZ) format() format    { return e4m3fnuz }
func (F8E5M2) format() format        { return e5m2 }
func (F8E5M2FNUZ) format() format    { return e5m2fnuz }
func (F8E8M0FNU) format() format     { return e8m0fnu }
func (F6E2M3FN) format() format      { return e2m3fn }
func (F6E3M2FN) format() format      { return e3m2fn }
func (F4E2M1FN) format() format      { return e2m1fn }
