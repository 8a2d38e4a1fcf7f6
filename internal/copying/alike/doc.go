// Package alike reports whether a stored object of one array is valid in another array, byte for
// byte. If it is, a copy or a repair moves objects without decoding them.
//
//	if alike.Encoding(from, to) {
//		copyObject(key)
//	}
//
// The functions may be called concurrently.
package alike
