// Package alike reports whether two arrays encode the same, so that a stored object of one is an
// object of the other, byte for byte. Copies move objects as they are by it, and repairs put them
// back.
//
//	if alike.Encoding(from, to) {
//		copyObject(key)
//	}
//
// Everything here may be called concurrently.
package alike
