// Package msgpack converts MessagePack to JSON text and back, for the objects of numcodecs'
// msgpack2.
//
//	text, err := msgpack.Decode(nil, []byte{0x92, 1, 0xc0}, false)   // [1,null]
//
// The text is in the canonical form of package internal/bits/jsontext. This form represents bytes
// and numbers that JSON lacks as objects with one member. Floats have a point or an exponent and
// integers have neither, so each type is preserved. The package follows the MessagePack
// specification (github.com/msgpack/msgpack) and the behaviour of Python's msgpack.
//
// Other libraries decode into Go values, whose size is unbounded, and do not distinguish text from
// bytes. This package checks every count against the remaining bytes, and its text has at most
// about six bytes per input byte.
//
// # Errors
//
// Decode returns fault.Corrupt for bytes that are not exactly one value, fault.Limit for values
// nested more than jsontext.MaxDepth deep, and errors.ErrUnsupported for extension types, keys that
// are not text, and maps that have another meaning in the text form. Encode returns fault.Type for
// numbers that are too large and for text that is not valid UTF-8, and fault.Limit for lengths of
// 2^32 or more.
package msgpack
