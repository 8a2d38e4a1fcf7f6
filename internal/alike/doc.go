// Package alike reports whether a stored object of one array is valid in another array, byte for
// byte. Copies then move objects without decoding them, and repairs restore them.
//
//	if alike.Encoding(from, to) {
//		copyObject(key)
//	}
//
// The functions may be called concurrently.
package alike
