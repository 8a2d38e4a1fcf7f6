// Package deflate encodes and decodes gzip and zlib streams (RFC 1950, 1951 and 1952), with a limit
// on the decoded size. All codecs whose format contains such streams use it.
//
//	out, err := deflate.Decode(deflate.Zlib, dst[:0], src, len(dst))
//	enc := deflate.NewEncoder(deflate.Gzip, 5)
//	out, err = enc.Encode(nil, src)
//
// A few idle readers are kept. The garbage collector frees idle writers. All functions are safe for
// concurrent use. Errors of Decode are fault.Corrupt.
package deflate
