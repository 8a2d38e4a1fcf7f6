package number

import "github.com/zargo-io/zargo/zarr/dtype"

// Kind is the kind of a number type.
type Kind uint8

// The kinds.
const (
	Bool Kind = iota
	Int
	Uint
	Float
	Complex
	Time // a 64-bit count; its smallest value is NaT, which addition and subtraction propagate
)

// Type is a number type and its size and byte order in storage.
type Type struct {
	Kind Kind
	Size int // bytes of an element
	Big  bool
}

// Of returns the number type of a data type's elements in memory form. The result is false if numpy
// does not implement arithmetic for the data type.
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

// In returns the type with byte order o.
func (t Type) In(o dtype.Order) Type {
	t.Big = o == dtype.Big && t.unit() > 1
	return t
}

// Whole reports whether the numbers are integers, booleans or times.
func (t Type) Whole() bool { return t.Kind != Float && t.Kind != Complex }

// unit returns the size in bytes of a number, or of one part of a complex number.
func (t Type) unit() int {
	if t.Kind == Complex {
		return t.Size / 2
	}
	return t.Size
}

// Range returns the smallest and largest number of an integer type.
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

// wrap reduces u to the bits of the type, and returns the resulting number in the form of
// Block.Int.
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

// round returns the nearest number of the float type, or of one part of a complex type.
func (t Type) round(f float64) float64 {
	switch t.unit() {
	case 2:
		return half(dtype.Round[dtype.F16](f))
	case 4:
		return float64(float32(f))
	}
	return f
}

// Round returns the nearest number of a float type.
func (t Type) Round(f float64) float64 { return t.round(f) }
