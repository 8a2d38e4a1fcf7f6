package dtype

import (
	"encoding/json"
	"reflect"
)

// Type says what an element is. [Basic] implements it for the numeric types; other types are
// structs of this package, or a user's own.
type Type interface {
	// String is the type's v3 name, such as "float32", for people and errors.
	String() string

	// Size is the number of bytes of one element in memory form; 0 means that elements vary in
	// length.
	Size() int

	// Go is the natural Go type of an element: float32 for Float32, F16 for Float16.
	Go() reflect.Type

	// Fits tells whether values of the Go type t have the memory form of this Type on a
	// little-endian machine, bit for bit: the natural type, or a named type of the same kind.
	Fits(t reflect.Type) bool

	// Swap reverses the byte order of each number in b, in place; len(b) is a multiple of Size. A
	// type without byte order does nothing.
	Swap(b []byte)

	// HasOrder tells whether Swap does anything: the elements hold numbers of more than one byte.
	HasOrder() bool

	// Canon makes stored bytes legal values of the Go type, in place: a bool byte other than 0
	// becomes 1. Types whose every bit pattern is legal do nothing.
	Canon(b []byte)

	// DefaultFill is the fill value of an array that was created without one, in memory form; the
	// caller owns it.
	DefaultFill() []byte

	// ParseFill reads a fill value as metadata of a format (2 or 3; 1 is spelled as 2) spells it
	// and returns its memory form, bit exact. It is never called with JSON null. raw may hold the
	// bare tokens NaN, Infinity and -Infinity that old v2 writers left.
	ParseFill(raw json.RawMessage, format int) ([]byte, error)

	// FormatFill writes a fill value in memory form as metadata of a format spells it.
	FormatFill(fill []byte, format int) (json.RawMessage, error)

	// V2 is the v2 "dtype" member, for instance "<f4"; errors.ErrUnsupported when v2 has no
	// spelling.
	V2(o Order) (json.RawMessage, error)

	// V3 is the v3 "data_type" member, for instance "float32" in quotes.
	V3() (json.RawMessage, error)
}

// Order is the byte order that numbers are stored in.
type Order uint8

const (
	// NoOrder is for elements without byte order; v2 spells it "|".
	NoOrder Order = iota
	// Little is "<" in v2 and "little" in v3.
	Little
	// Big is ">" in v2 and "big" in v3.
	Big
)

// String gives "none", "little" or "big".
func (o Order) String() string { return [...]string{"none", "little", "big"}[min(o, Big)] }
