// Package dtype says what an element of an array is: its size, its Go type, its fill value, its
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
// packed one after the other in C order. What byte order an array is stored in is a matter of its
// codecs (v3) or of its typestring (v2), never of the Type.
//
// The package is pure: it does no I/O. Errors have the kind fault.Metadata (malformed),
// errors.ErrUnsupported (well formed but unknown here) or fault.Type. Everything is immutable and
// may be used from any number of goroutines.
package dtype
