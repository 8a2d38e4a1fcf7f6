package dtype

import (
	"encoding/json"
	"reflect"
)

// Type is the data type of the elements of an array. [Basic] implements it for the numeric types.
// This package has more implementations, and users may add their own.
type Type interface {
	// String returns the type's v3 name, such as "float32", for messages.
	String() string

	// Size returns the number of bytes of one element in memory form, or 0 if elements vary in
	// length.
	Size() int

	// Go returns the natural Go type of an element: float32 for Float32, F16 for Float16.
	Go() reflect.Type

	// Fits reports whether values of the Go type t have the memory form of this Type on a
	// little-endian machine, bit for bit. The natural type fits, and so does a named type of the
	// same kind.
	Fits(t reflect.Type) bool

	// Swap reverses the byte order of each number in b, in place. len(b) is a multiple of Size. It
	// does nothing for types without byte order.
	Swap(b []byte)

	// HasOrder reports whether Swap has an effect: the elements contain numbers of more than one
	// byte.
	HasOrder() bool

	// Canon converts stored bytes to valid values of the Go type, in place: a bool byte other than
	// 0 becomes 1. It does nothing if every bit pattern is valid.
	Canon(b []byte)

	// DefaultFill returns, in memory form, the fill value of arrays that are created without a fill
	// value, and the value of the missing elements of arrays whose fill value is undefined (v2's
	// null). It is zero for numbers, empty for text, and NaT for times. The caller owns it.
	DefaultFill() []byte

	// ParseFill parses a fill value in the metadata of a format (2 or 3; v1 is parsed as 2) and
	// returns the exact memory form. It is called with JSON null only for a Struct with a Form. raw
	// may contain the bare tokens NaN, Infinity and -Infinity, which old v2 writers used.
	ParseFill(raw json.RawMessage, format int) ([]byte, error)

	// FormatFill returns the JSON of a fill value, given in memory form, for the metadata of a
	// format.
	FormatFill(fill []byte, format int) (json.RawMessage, error)

	// V2 returns the v2 "dtype" member, such as "<f4", or errors.ErrUnsupported if v2 cannot
	// represent the type.
	V2(o Order) (json.RawMessage, error)

	// V3 returns the v3 "data_type" member, such as the JSON string "float32".
	V3() (json.RawMessage, error)
}

// Order is the byte order of stored numbers.
type Order uint8

const (
	// NoOrder is for elements without byte order, "|" in v2.
	NoOrder Order = iota
	// Little is "<" in v2 and "little" in v3.
	Little
	// Big is ">" in v2 and "big" in v3.
	Big
)

// String returns "none", "little" or "big".
func (o Order) String() string { return [...]string{"none", "little", "big"}[min(o, Big)] }
