// Package planes shuffles bytes: it splits elements into planes of their first bytes, their second
// ones, and so on, and joins them again, for every codec that holds such planes.
//
//	planes.Split(dst, src, 4)
//	planes.Join(src, dst, 4)
//
// All functions may be called from any number of goroutines. There are no errors.
package planes
