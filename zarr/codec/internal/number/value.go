package number

import (
	"math"
	"math/bits"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Rounding is the rounding mode for numbers that a type cannot represent exactly.
type Rounding string

// The rounding modes, as named by the codec cast_value.
const (
	NearestEven     Rounding = "nearest-even"
	TowardsZero     Rounding = "towards-zero"
	TowardsPositive Rounding = "towards-positive"
	TowardsNegative Rounding = "towards-negative"
	NearestAway     Rounding = "nearest-away"
)

// Outside is the mode for numbers out of the range of a type.
type Outside string

// The modes for numbers out of range, as named by the codec cast_value.
const (
	Refuse Outside = "error"
	Clamp  Outside = "clamp"
	Wrap   Outside = "wrap"
)

// Value is an integer, as in a block, or a float.
type Value struct {
	Int   uint64
	Float float64
}

// Convert returns a step that converts numbers by value. A number that matches a pair is mapped by
// the first such pair. Other numbers are rounded by r, and o applies if the result is out of range.
// NaN cannot be converted to an integer.
//
// The step returns fault.Type if a number cannot be converted.
func Convert(from, to Type, r Rounding, o Outside, pairs []Pair) Step {
	find := finder(pairs, from)
	return func(b *Block) {
		for i := range b.N {
			v := Value{b.Int[i], b.Re[i]}
			w, mapped := find(v)
			if !mapped {
				var ok bool
				if w, ok = convert(v, from, to, r, o); !ok {
					b.Err = v.outside(from, to)
					return
				}
			}
			b.Int[i], b.Re[i] = w.Int, w.Float
		}
	}
}

func (v Value) outside(from, to Type) error {
	switch from.Kind {
	case Float:
		return fault.Newf(fault.Type, "%v is out of range for the target type", v.Float)
	case Uint:
		return fault.Newf(fault.Type, "%d is out of range for the target type", v.Int)
	}
	return fault.Newf(fault.Type, "%d is out of range for the target type", int64(v.Int))
}

func convert(v Value, from, to Type, r Rounding, o Outside) (Value, bool) {
	switch {
	case from.Kind == Float && to.Kind == Float:
		f, ok := toFloat(v.Float, to, r, o)
		return Value{Float: f}, ok
	case to.Kind == Float:
		f, ok := wholeToFloat(v.Int, from, to, r, o)
		return Value{Float: f}, ok
	case from.Kind == Float:
		u, ok := toWhole(whole(v.Float, r), to, o)
		return Value{Int: u}, ok
	}
	u, ok := wholeToWhole(v.Int, from, to, o)
	return Value{Int: u}, ok
}

// whole rounds f to an integer.
func whole(f float64, r Rounding) float64 {
	switch r {
	case TowardsZero:
		return math.Trunc(f)
	case TowardsPositive:
		return math.Ceil(f)
	case TowardsNegative:
		return math.Floor(f)
	case NearestAway:
		return math.Round(f)
	}
	return math.RoundToEven(f)
}

// toWhole converts a float without a fraction to an integer type.
func toWhole(f float64, to Type, o Outside) (uint64, bool) {
	lo, hi := to.Range()
	// The variable "high" is the maximum plus 1, because the maximum may not be exact as a float.
	low, high := float64(lo), math.Ldexp(1, 8*to.Size)
	if to.Kind == Int {
		high /= 2
	}
	switch {
	case f >= low && f < high:
		if f < 0 {
			return uint64(int64(f)), true
		}
		return uint64(f), true
	case f != f || o == Refuse:
		return 0, false
	case o == Clamp && f < low:
		return uint64(lo), true
	case o == Clamp:
		return hi, true
	case math.IsInf(f, 0):
		return 0, false
	}
	m := math.Mod(f, 1<<64) // exact in floats
	if m < 0 {
		return to.wrap(-uint64(-m)), true
	}
	return to.wrap(uint64(m)), true
}

func wholeToWhole(u uint64, from, to Type, o Outside) (uint64, bool) {
	lo, hi := to.Range()
	negative := from.Kind != Uint && int64(u) < 0
	switch {
	case negative && int64(u) >= lo || !negative && u <= hi:
		return u, true
	case o == Refuse:
		return 0, false
	case o == Wrap:
		return to.wrap(u), true
	case negative:
		return uint64(lo), true
	}
	return hi, true
}

// precision returns the number of significant bits of a float type, the exponent of its smallest
// step, and its largest number.
func (t Type) precision() (bits, least int, largest float64) {
	switch t.Size {
	case 2:
		return 11, -24, 65504
	case 4:
		return 24, -149, math.MaxFloat32
	}
	return 53, -1074, math.MaxFloat64
}

// toFloat rounds f to a narrower float type.
func toFloat(f float64, to Type, r Rounding, o Outside) (float64, bool) {
	if f != f || math.IsInf(f, 0) || f == 0 || to.Size == 8 {
		return f, true
	}
	p, least, largest := to.precision()
	_, e := math.Frexp(f)
	q := max(e-p, least)
	g := math.Ldexp(whole(math.Ldexp(f, -q), r), q) // an integer number of steps
	if math.Abs(g) <= largest {
		return g, true
	}
	return math.Copysign(largest, f), o == Clamp
}

// wholeToFloat rounds an integer to a float type. The integer may have more bits than a float64.
func wholeToFloat(u uint64, from, to Type, r Rounding, o Outside) (float64, bool) {
	sign, m := 1.0, u
	if from.Kind != Uint && int64(u) < 0 {
		sign, m = -1, -u
	}
	p, _, _ := to.precision()
	shift := bits.Len64(m) - p
	if shift <= 0 {
		return sign * float64(m), true
	}
	up := false
	low, half := m&(1<<shift-1), uint64(1)<<(shift-1)
	m >>= shift
	switch r {
	case TowardsPositive:
		up = sign > 0 && low > 0
	case TowardsNegative:
		up = sign < 0 && low > 0
	case NearestAway:
		up = low >= half
	case NearestEven:
		up = low > half || low == half && m&1 == 1
	}
	if up {
		m++
	}
	f := sign * math.Ldexp(float64(m), shift)
	if _, _, largest := to.precision(); math.Abs(f) > largest {
		return math.Copysign(largest, f), o == Clamp
	}
	return f, true
}

// Checked makes steps for an integer type. On overflow a step fails with fault.Type.
type Checked struct{ Type Type }

// Minus returns a step that subtracts the offset and then multiplies by the scale.
func (c Checked) Minus(offset, scale uint64) Step {
	return func(b *Block) {
		for i, u := range b.Int[:b.N] {
			d, ok := c.sub(u, offset)
			if d, ok = c.mul(d, scale, ok); !ok {
				b.Err = fault.Newf(fault.Type, "(%s - %s) × %s is out of range", c.text(u), c.text(offset), c.text(scale))
				return
			}
			b.Int[i] = d
		}
	}
}

// Over returns a step that divides by the scale, rounds down, and then adds the offset.
func (c Checked) Over(scale, offset uint64) Step {
	return func(b *Block) {
		for i, u := range b.Int[:b.N] {
			d, ok := c.div(u, scale)
			if d, ok = c.add(d, offset, ok); !ok {
				b.Err = fault.Newf(fault.Type, "%s / %s + %s is out of range", c.text(u), c.text(scale), c.text(offset))
				return
			}
			b.Int[i] = d
		}
	}
}
