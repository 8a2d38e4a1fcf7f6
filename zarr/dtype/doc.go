// Package dtype defines the data types of array elements: their size, Go type, fill values, and
// names in v2 and v3.
//
// Data types are values. The basic ones are constants:
//
//	dtype.Float32.Size()            // 4
//	t, err := dtype.ParseV3(raw)    // "float32" or {"name": …, "configuration": …}
//	t, order, err := dtype.ParseV2(raw) // "<f4"
//	t, err := dtype.Of[float32]()
//
// # Memory form
//
// Everywhere in zargo a decoded element is in memory form: Size bytes, little-endian, elements
// packed in C order. The byte order of stored elements is a property of the codecs of an array (v3)
// or of its typestring (v2), not of the Type.
//
// # Errors
//
// Errors have the kind fault.Metadata (malformed), errors.ErrUnsupported (well-formed but unknown
// to this package), fault.Type (a value that does not fit) or fault.Limit (a type that is too large
// or nested too deep, or a time out of range). The package does no I/O.
//
// # Concurrency
//
// Everything is immutable and safe for concurrent use.
package dtype
