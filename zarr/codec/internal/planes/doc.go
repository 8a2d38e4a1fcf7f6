// Package planes implements byte shuffling. It splits the bytes of elements into planes, and joins
// planes to elements again. The first plane consists of the first bytes of all elements, the second
// plane of their second bytes, and so on. The package is used by all codecs that shuffle bytes.
//
//	planes.Split(dst, src, 4)
//	planes.Join(src, dst, 4)
//
// All functions are safe for concurrent use. They do not return errors.
package planes
