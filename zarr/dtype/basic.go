package dtype

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"reflect"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Basic is a data type of one or two numbers of a fixed size: the core data types of the v3 specification and the
// numeric typestrings of v2.
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
	numBasic
)

// class says how an element's numbers are spelled.
type class uint8

const (
	boolean class = iota
	signed
	unsigned
	floating
	complexed
)

// basicInfo is what there is to know of a Basic.
type basicInfo struct {
	name  string // v3
	v2    string // v2 typestring without byte order
	class class
	size  int // bytes of an element
	unit  int // bytes of one number of it
	kind  reflect.Kind
	goes  reflect.Type
}

func (b Basic) info() basicInfo {
	return [...]basicInfo{
		Bool:       {"bool", "b1", boolean, 1, 1, reflect.Bool, reflect.TypeFor[bool]()},
		Int8:       {"int8", "i1", signed, 1, 1, reflect.Int8, reflect.TypeFor[int8]()},
		Int16:      {"int16", "i2", signed, 2, 2, reflect.Int16, reflect.TypeFor[int16]()},
		Int32:      {"int32", "i4", signed, 4, 4, reflect.Int32, reflect.TypeFor[int32]()},
		Int64:      {"int64", "i8", signed, 8, 8, reflect.Int64, reflect.TypeFor[int64]()},
		Uint8:      {"uint8", "u1", unsigned, 1, 1, reflect.Uint8, reflect.TypeFor[uint8]()},
		Uint16:     {"uint16", "u2", unsigned, 2, 2, reflect.Uint16, reflect.TypeFor[uint16]()},
		Uint32:     {"uint32", "u4", unsigned, 4, 4, reflect.Uint32, reflect.TypeFor[uint32]()},
		Uint64:     {"uint64", "u8", unsigned, 8, 8, reflect.Uint64, reflect.TypeFor[uint64]()},
		Float16:    {"float16", "f2", floating, 2, 2, reflect.Uint16, reflect.TypeFor[F16]()},
		Float32:    {"float32", "f4", floating, 4, 4, reflect.Float32, reflect.TypeFor[float32]()},
		Float64:    {"float64", "f8", floating, 8, 8, reflect.Float64, reflect.TypeFor[float64]()},
		Complex64:  {"complex64", "c8", complexed, 8, 4, reflect.Complex64, reflect.TypeFor[complex64]()},
		Complex128: {"complex128", "c16", complexed, 16, 8, reflect.Complex128, reflect.TypeFor[complex128]()},
	}[b]
}

// basics yields every Basic.
func basics(yield func(Basic) bool) {
	for b := range numBasic {
		if !yield(b) {
			return
		}
	}
}

// String is the v3 name.
func (b Basic) String() string {
	if b >= numBasic {
		return "invalid data type"
	}
	return b.info().name
}

// Size is the number of bytes of an element.
func (b Basic) Size() int { return b.info().size }

// Go is the natural Go type.
func (b Basic) Go() reflect.Type { return b.info().goes }

// Fits takes the natural Go type and named types of the same kind. F16 has the kind of uint16 but is another type: bits
// of a float16 are not taken for an integer, nor the other way round.
func (b Basic) Fits(t reflect.Type) bool {
	half := t == reflect.TypeFor[F16]()
	if b == Float16 || half {
		return b == Float16 && half
	}
	return t.Kind() == b.info().kind
}

// HasOrder tells whether numbers have more than one byte.
func (b Basic) HasOrder() bool { return b.info().unit > 1 }

// Swap reverses the bytes of each number.
func (b Basic) Swap(buf []byte) {
	switch b.info().unit {
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

// Canon makes every bool 0 or 1: whatever is not 0 is true, as numpy reads it.
func (b Basic) Canon(buf []byte) {
	if b != Bool {
		return
	}
	for i, c := range buf {
		if c > 1 {
			buf[i] = 1
		}
	}
}

// DefaultFill is zero.
func (b Basic) DefaultFill() []byte { return make([]byte, b.Size()) }

// V2 is the typestring: "<f4", "|u1".
func (b Basic) V2(o Order) (json.RawMessage, error) {
	mark := map[Order]string{NoOrder: "|", Little: "<", Big: ">"}[o]
	if !b.HasOrder() {
		mark = "|"
	} else if mark == "" || o == NoOrder {
		return nil, fault.Newf(fault.Metadata, "%v needs a byte order", b)
	}
	return json.RawMessage(`"` + mark + b.info().v2 + `"`), nil // json.Marshal would escape the "<"
}

// V3 is the name.
func (b Basic) V3() (json.RawMessage, error) {
	if b >= numBasic {
		return nil, fault.Newf(errors.ErrUnsupported, "%v", b)
	}
	return json.Marshal(b.info().name)
}
