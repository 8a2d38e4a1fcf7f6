// Package planes splits the bytes of elements into planes, first all first bytes, then all second
// bytes, and so on, and joins them (byte shuffling). It is used by all codecs that shuffle bytes.
//
//	planes.Split(dst, src, 4)
//	planes.Join(src, dst, 4)
//
// All functions are safe for concurrent use. None returns an error.
package planes
