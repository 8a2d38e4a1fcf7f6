package number

import "github.com/zargo-io/zargo/zarr/dtype"

// Kind says what sort of number an element is.
type Kind uint8

// The kinds.
const (
	Bool Kind = iota
	Int
	Uint
	Float
	Complex
	Time // a count of 64 bits; the smallest is NaT, which is no time and stays so under addition
)

// Type is a type of number and how it is stored.
type Type struct {
	Kind Kind
	Size int // bytes of an element
	Big  bool
}

// Of is the type of a data type's elements, stored as in memory; false when they are no numbers
// that numpy calculates with.
func Of(t dtype.Type) (Type, bool) {
	switch t := t.(type) {
	case dtype.DateTime, dtype.TimeDelta:
		return Type{Kind: Time, Size: 8}, true
	case dtype.Basic:
		switch t {
		case dtype.Bool:
			return Type{Kind: Bool, Size: 1}, true
		case dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64:
			return Type{Kind: Int, Size: t.Size()}, true
		case dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64:
			return Type{Kind: Uint, Size: t.Size()}, true
		case dtype.Float16, dtype.Float32, dtype.Float64:
			return Type{Kind: Float, Size: t.Size()}, true
		case dtype.Complex64, dtype.Complex128:
			return Type{Kind: Complex, Size: t.Size()}, true
		}
	}
	return Type{}, false
}

// In is the type stored in a byte order.
func (t Type) In(o dtype.Order) Type {
	t.Big = o == dtype.Big && t.unit() > 1
	return t
}

// Whole tells whether the numbers are whole.
func (t Type) Whole() bool { return t.Kind != Float && t.Kind != Complex }

// unit is the size of one number of an element.
func (t Type) unit() int {
	if t.Kind == Complex {
		return t.Size / 2
	}
	return t.Size
}

// Range is the smallest and the largest number of a type of whole ones.
func (t Type) Range() (lo int64, hi uint64) {
	bits := 8 * t.Size
	switch t.Kind {
	case Bool:
		return 0, 1
	case Uint:
		return 0, 1<<bits - 1
	}
	return -1 << (bits - 1), 1<<(bits-1) - 1
}

// wrap keeps of a whole number what the type can hold, as the block has it.
func (t Type) wrap(u uint64) uint64 {
	switch {
	case t.Kind == Bool:
		if u != 0 {
			return 1
		}
		return 0
	case t.Size == 8:
		return u
	case t.Kind == Uint:
		return u & (1<<(8*t.Size) - 1)
	}
	shift := 64 - 8*t.Size
	return uint64(int64(u<<shift) >> shift)
}

// round gives the number of a type of floats, or of one part of a complex one, that is nearest.
func (t Type) round(f float64) float64 {
	switch t.unit() {
	case 2:
		return half(dtype.Round[dtype.F16](f))
	case 4:
		return float64(float32(f))
	}
	return f
}

// Round gives the number of a type of floats that is nearest.
func (t Type) Round(f float64) float64 { return t.round(f) }
