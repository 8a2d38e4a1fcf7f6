package dtype

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"reflect"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Basic is a data type of one or two numbers of a fixed size: the core data types of the v3
// specification, the numeric typestrings of v2, and the small integers, small floats and complex
// numbers of zarr-extensions. A number of less than 8 bits is sign-extended to one byte.
type Basic uint8

// The basic data types.
const (
	Bool Basic = iota
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float16
	Float32
	Float64
	Complex64
	Complex128

	Int2
	Int4
	Uint2
	Uint4
	BFloat16
	Float8E3M4
	Float8E4M3
	Float8E4M3B11FNUZ
	Float8E4M3FN
	Float8E4M3FNUZ
	Float8E5M2
	Float8E5M2FNUZ
	Float8E8M0FNU
	Float6E2M3FN
	Float6E3M2FN
	Float4E2M1FN

	ComplexFloat16
	ComplexBFloat16
	ComplexFloat8E3M4
	ComplexFloat8E4M3
	ComplexFloat8E4M3B11FNUZ
	ComplexFloat8E4M3FN
	ComplexFloat8E4M3FNUZ
	ComplexFloat8E5M2
	ComplexFloat8E5M2FNUZ
	ComplexFloat8E8M0FNU
	ComplexFloat6E2M3FN
	ComplexFloat6E3M2FN
	ComplexFloat4E2M1FN
	numBasic
)

// class is the kind of the numbers in an element. It determines the form of fill values in
// metadata.
type class uint8

const (
	boolean class = iota
	signed
	unsigned
	floating
	complexed
)

// basicInfo describes a Basic.
type basicInfo struct {
	name  string // v3
	v2    string // v2 typestring without byte order; "" if numpy has none
	class class
	size  int // bytes of an element
	unit  int // bytes of one number
	bits  int // significant bits of one number
	kind  reflect.Kind
	float format // format of one number, for the classes floating and complexed
	goes  func() reflect.Type
}

func number(name, v2 string, c class, size int, kind reflect.Kind, goes func() reflect.Type) basicInfo {
	return basicInfo{name: name, v2: v2, class: c, size: size, unit: size, bits: 8 * size, kind: kind, goes: goes}
}

// tiny returns the description of an integer type of less than 8 bits.
func tiny(name string, c class, bits int, kind reflect.Kind, goes func() reflect.Type) basicInfo {
	return basicInfo{name: name, class: c, size: 1, unit: 1, bits: bits, kind: kind, goes: goes}
}

func float(name, v2 string, f format, kind reflect.Kind, goes func() reflect.Type) basicInfo {
	unit := (f.bits + 7) / 8
	return basicInfo{name: name, v2: v2, class: floating, size: unit, unit: unit, bits: f.bits, kind: kind, float: f, goes: goes}
}

func pair(name, v2 string, f format, kind reflect.Kind, goes func() reflect.Type) basicInfo {
	i := float(name, v2, f, kind, goes)
	i.class, i.size = complexed, 2*i.unit
	return i
}

// info returns the description of b. It panics if b is not one of the constants.
func (b Basic) info() basicInfo { return infos[b] }

// infos describes every Basic. It is read-only.
var infos = [numBasic]basicInfo{
	Bool:                     number("bool", "b1", boolean, 1, reflect.Bool, reflect.TypeFor[bool]),
	Int8:                     number("int8", "i1", signed, 1, reflect.Int8, reflect.TypeFor[int8]),
	Int16:                    number("int16", "i2", signed, 2, reflect.Int16, reflect.TypeFor[int16]),
	Int32:                    number("int32", "i4", signed, 4, reflect.Int32, reflect.TypeFor[int32]),
	Int64:                    number("int64", "i8", signed, 8, reflect.Int64, reflect.TypeFor[int64]),
	Uint8:                    number("uint8", "u1", unsigned, 1, reflect.Uint8, reflect.TypeFor[uint8]),
	Uint16:                   number("uint16", "u2", unsigned, 2, reflect.Uint16, reflect.TypeFor[uint16]),
	Uint32:                   number("uint32", "u4", unsigned, 4, reflect.Uint32, reflect.TypeFor[uint32]),
	Uint64:                   number("uint64", "u8", unsigned, 8, reflect.Uint64, reflect.TypeFor[uint64]),
	Float16:                  float("float16", "f2", binary16, reflect.Uint16, reflect.TypeFor[F16]),
	Float32:                  float("float32", "f4", binary32, reflect.Float32, reflect.TypeFor[float32]),
	Float64:                  float("float64", "f8", binary64, reflect.Float64, reflect.TypeFor[float64]),
	Complex64:                pair("complex64", "c8", binary32, reflect.Complex64, reflect.TypeFor[complex64]),
	Complex128:               pair("complex128", "c16", binary64, reflect.Complex128, reflect.TypeFor[complex128]),
	Int2:                     tiny("int2", signed, 2, reflect.Int8, reflect.TypeFor[int8]),
	Int4:                     tiny("int4", signed, 4, reflect.Int8, reflect.TypeFor[int8]),
	Uint2:                    tiny("uint2", unsigned, 2, reflect.Uint8, reflect.TypeFor[uint8]),
	Uint4:                    tiny("uint4", unsigned, 4, reflect.Uint8, reflect.TypeFor[uint8]),
	BFloat16:                 float("bfloat16", "", bfloat16, reflect.Uint16, reflect.TypeFor[BF16]),
	Float8E3M4:               float("float8_e3m4", "", e3m4, reflect.Uint8, reflect.TypeFor[F8E3M4]),
	Float8E4M3:               float("float8_e4m3", "", e4m3, reflect.Uint8, reflect.TypeFor[F8E4M3]),
	Float8E4M3B11FNUZ:        float("float8_e4m3b11fnuz", "", e4m3b11fnuz, reflect.Uint8, reflect.TypeFor[F8E4M3B11FNUZ]),
	Float8E4M3FN:             float("float8_e4m3fn", "", e4m3fn, reflect.Uint8, reflect.TypeFor[F8E4M3FN]),
	Float8E4M3FNUZ:           float("float8_e4m3fnuz", "", e4m3fnuz, reflect.Uint8, reflect.TypeFor[F8E4M3FNUZ]),
	Float8E5M2:               float("float8_e5m2", "", e5m2, reflect.Uint8, reflect.TypeFor[F8E5M2]),
	Float8E5M2FNUZ:           float("float8_e5m2fnuz", "", e5m2fnuz, reflect.Uint8, reflect.TypeFor[F8E5M2FNUZ]),
	Float8E8M0FNU:            float("float8_e8m0fnu", "", e8m0fnu, reflect.Uint8, reflect.TypeFor[F8E8M0FNU]),
	Float6E2M3FN:             float("float6_e2m3fn", "", e2m3fn, reflect.Uint8, reflect.TypeFor[F6E2M3FN]),
	Float6E3M2FN:             float("float6_e3m2fn", "", e3m2fn, reflect.Uint8, reflect.TypeFor[F6E3M2FN]),
	Float4E2M1FN:             float("float4_e2m1fn", "", e2m1fn, reflect.Uint8, reflect.TypeFor[F4E2M1FN]),
	ComplexFloat16:           pair("complex_float16", "", binary16, reflect.Array, reflect.TypeFor[Complex[F16]]),
	ComplexBFloat16:          pair("complex_bfloat16", "", bfloat16, reflect.Array, reflect.TypeFor[Complex[BF16]]),
	ComplexFloat8E3M4:        pair("complex_float8_e3m4", "", e3m4, reflect.Array, reflect.TypeFor[Complex[F8E3M4]]),
	ComplexFloat8E4M3:        pair("complex_float8_e4m3", "", e4m3, reflect.Array, reflect.TypeFor[Complex[F8E4M3]]),
	ComplexFloat8E4M3B11FNUZ: pair("complex_float8_e4m3b11fnuz", "", e4m3b11fnuz, reflect.Array, reflect.TypeFor[Complex[F8E4M3B11FNUZ]]),
	ComplexFloat8E4M3FN:      pair("complex_float8_e4m3fn", "", e4m3fn, reflect.Array, reflect.TypeFor[Complex[F8E4M3FN]]),
	ComplexFloat8E4M3FNUZ:    pair("complex_float8_e4m3fnuz", "", e4m3fnuz, reflect.Array, reflect.TypeFor[Complex[F8E4M3FNUZ]]),
	ComplexFloat8E5M2:        pair("complex_float8_e5m2", "", e5m2, reflect.Array, reflect.TypeFor[Complex[F8E5M2]]),
	ComplexFloat8E5M2FNUZ:    pair("complex_float8_e5m2fnuz", "", e5m2fnuz, reflect.Array, reflect.TypeFor[Complex[F8E5M2FNUZ]]),
	ComplexFloat8E8M0FNU:     pair("complex_float8_e8m0fnu", "", e8m0fnu, reflect.Array, reflect.TypeFor[Complex[F8E8M0FNU]]),
	ComplexFloat6E2M3FN:      pair("complex_float6_e2m3fn", "", e2m3fn, reflect.Array, reflect.TypeFor[Complex[F6E2M3FN]]),
	ComplexFloat6E3M2FN:      pair("complex_float6_e3m2fn", "", e3m2fn, reflect.Array, reflect.TypeFor[Complex[F6E3M2FN]]),
	ComplexFloat4E2M1FN:      pair("complex_float4_e2m1fn", "", e2m1fn, reflect.Array, reflect.TypeFor[Complex[F4E2M1FN]]),
}

// basics yields every Basic.
func basics(yield func(Basic) bool) {
	for b := range numBasic {
		if !yield(b) {
			return
		}
	}
}

// String returns the v3 name.
func (b Basic) String() string {
	if b >= numBasic {
		return "invalid data type"
	}
	return b.info().name
}

// Size returns the number of bytes of an element.
func (b Basic) Size() int { return b.info().size }

// Go returns the natural Go type, such as int8 for Int4. For a small float it returns a named type
// of this package, and for a pair of small floats a [Complex] of that type.
func (b Basic) Go() reflect.Type { return b.info().goes() }

// Fits reports whether t is the natural Go type or a named type of the same kind. F16 and similar
// types have the kind uint16 or uint8, but do not fit integers, and integers do not fit small
// floats. An Instant or a Span does not fit an integer either.
func (b Basic) Fits(t reflect.Type) bool {
	info := b.info()
	switch {
	case info.class == floating && info.unit < 4:
		return t == info.goes()
	case info.kind == reflect.Array:
		return t == info.goes() || t.Kind() == reflect.Array && t.Len() == 2 && t.Elem() == info.goes().Elem()
	}
	return t.Kind() == info.kind && !isBits(t)
}

// isBits reports whether t has an integer kind but is a small float, an Instant or a Span.
func isBits(t reflect.Type) bool {
	if t == reflect.TypeFor[Instant]() || t == reflect.TypeFor[Span]() {
		return true
	}
	for b := range basics {
		if info := b.info(); info.class == floating && info.unit < 4 && t == info.goes() {
			return true
		}
	}
	return false
}

// HasOrder reports whether the numbers have more than one byte.
func (b Basic) HasOrder() bool { return b.info().unit > 1 }

// Swap reverses the bytes of each number.
func (b Basic) Swap(buf []byte) { swap(buf, b.info().unit) }

// swap reverses the byte order of each number in buf. A number has size bytes.
func swap(buf []byte, size int) {
	switch size {
	case 2:
		for i := 0; i+2 <= len(buf); i += 2 {
			buf[i], buf[i+1] = buf[i+1], buf[i]
		}
	case 4:
		for i := 0; i+4 <= len(buf); i += 4 {
			binary.LittleEndian.PutUint32(buf[i:], binary.BigEndian.Uint32(buf[i:]))
		}
	case 8:
		for i := 0; i+8 <= len(buf); i += 8 {
			binary.LittleEndian.PutUint64(buf[i:], binary.BigEndian.Uint64(buf[i:]))
		}
	}
}

// Canon changes every nonzero bool to 1, as numpy interprets it. In numbers of less than 8 bits it
// sets the unused bits: in integers to the sign bit, and in other numbers to 0.
func (b Basic) Canon(buf []byte) {
	switch info := b.info(); {
	case info.class == boolean:
		for i, c := range buf {
			if c > 1 {
				buf[i] = 1
			}
		}
	case info.bits >= 8:
	case info.class == signed:
		shift := 8 - info.bits
		for i, c := range buf {
			buf[i] = byte(int8(c<<shift) >> shift)
		}
	default:
		mask := byte(1)<<info.bits - 1
		for i := range buf {
			buf[i] &= mask
		}
	}
}

// Check returns fault.Type if an element is not in memory form: a bool other than 0 and 1, or a
// number of less than 8 bits that is out of its range.
func (b Basic) Check(buf []byte) error {
	info := b.info()
	if info.bits >= 8 && info.class != boolean {
		return nil
	}
	one := make([]byte, 1)
	for i, c := range buf {
		one[0] = c
		if b.Canon(one); one[0] != c {
			return fault.Newf(fault.Type, "element %d of %v has the invalid byte %#02x", i/info.size, b, c)
		}
	}
	return nil
}

// DefaultFill returns zero, or the smallest number of float8_e8m0fnu, which lacks zero.
func (b Basic) DefaultFill() []byte { return make([]byte, b.Size()) }

// V2 returns the typestring, such as "<f4" or "|u1". For small numbers it returns TensorStore's v2
// name, which exists for little-endian bfloat16 but not for big-endian. It returns
// errors.ErrUnsupported for types without a v2 name.
func (b Basic) V2(o Order) (json.RawMessage, error) {
	info := b.info()
	if info.v2 == "" {
		if !b.inTensorStore() || b.HasOrder() && o == Big {
			return nil, fault.Newf(errors.ErrUnsupported, "v2 has no name for %v with byte order %v", b, o)
		}
		return json.RawMessage(`"` + info.name + `"`), nil
	}
	mark := map[Order]string{NoOrder: "|", Little: "<", Big: ">"}[o]
	if !b.HasOrder() {
		mark = "|"
	} else if mark == "" || o == NoOrder {
		return nil, fault.Newf(fault.Metadata, "%v needs a byte order", b)
	}
	return json.RawMessage(`"` + mark + info.v2 + `"`), nil // json.Marshal would escape the "<"
}

// inTensorStore reports whether TensorStore has a v2 name for the type.
func (b Basic) inTensorStore() bool {
	switch b {
	case Int2, Int4, BFloat16, Float8E3M4, Float8E4M3B11FNUZ, Float8E4M3FN, Float8E4M3FNUZ, Float8E5M2, Float8E5M2FNUZ, Float8E8M0FNU, Float4E2M1FN:
		return true
	}
	return false
}

// V3 returns the v3 name as a JSON string.
func (b Basic) V3() (json.RawMessage, error) {
	if b >= numBasic {
		return nil, fault.Newf(errors.ErrUnsupported, "%v", b)
	}
	return json.Marshal(b.info().name)
}
