// Package deflate encodes and decodes gzip and zlib streams (RFC 1950, 1951 and 1952), with a limit
// on the decoded size. It is used by all codecs whose format contains such streams.
//
//	out, err := deflate.Decode(deflate.Zlib, dst[:0], src, len(dst))
//	enc := deflate.NewEncoder(deflate.Gzip, 5)
//	out, err = enc.Encode(nil, src)
//
// The package keeps up to 32 idle readers for reuse. Idle writers are also reused until the garbage
// collector frees them. All functions are safe for concurrent use. Errors of Decode are
// fault.Corrupt.
package deflate
