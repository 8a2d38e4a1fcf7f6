// Package bytesview returns views of slices of numbers as bytes. No other package of zargo uses
// unsafe. With the build tag purego, this package does not use unsafe either, and every conversion
// copies.
//
//	b, ok := bytesview.Of(dst) // the same memory, if this machine and build allow
//	if !ok {
//		b = make([]byte, n)    // read into b, then
//		bytesview.Take(dst, b)
//	}
//
// The package is pure and stateless.
package bytesview
