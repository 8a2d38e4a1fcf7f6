package bytesview

import "encoding/binary"

// Take decodes src, elements in memory form, into dst. The length of src must be len(dst) times the
// size of T. T must be a bool, a number of fixed size, or a named type of these.
func Take[T any](dst []T, src []byte) {
	if _, err := binary.Decode(src, binary.LittleEndian, dst); err != nil {
		panic("bytesview: " + err.Error()) // callers check T against the data type first
	}
}

// Put writes the memory form of src to dst, which must be long enough.
func Put[T any](dst []byte, src []T) {
	if _, err := binary.Encode(dst, binary.LittleEndian, src); err != nil {
		panic("bytesview: " + err.Error())
	}
}
