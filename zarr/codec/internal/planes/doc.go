// Package planes implements byte shuffling. It splits the bytes of elements into planes, first all
// first bytes, then all second bytes, and so on, and joins them again. All codecs that shuffle
// bytes use it.
//
//	planes.Split(dst, src, 4)
//	planes.Join(src, dst, 4)
//
// All functions are safe for concurrent use. They do not return errors.
package planes
