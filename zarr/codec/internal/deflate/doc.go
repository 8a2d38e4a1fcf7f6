// Package deflate appends and bounds gzip and zlib streams, for every codec that holds some.
//
//	out, err := deflate.Decode(deflate.Zlib, dst[:0], src, len(dst))
//	enc := deflate.NewEncoder(deflate.Gzip, 5)
//	out, err = enc.Encode(nil, src)
//
// A few idle readers are kept; idle writers are given back to the garbage collector. All functions
// may be called from any number of goroutines. Errors of Decode are fault.Corrupt. Formats: RFC
// 1950, 1951, 1952.
package deflate
