// Package bytesview looks at a slice of numbers as the bytes they are made of. It is the only
// package of zargo that uses unsafe; the build tag purego turns that off, and then every conversion
// copies.
//
//	b, ok := bytesview.Of(dst) // the same memory, if this machine and build allow
//	if !ok {
//		b = make([]byte, n)    // read into b, then
//		bytesview.Take(dst, b)
//	}
//
// It is pure and has no state.
package bytesview
