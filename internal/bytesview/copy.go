package bytesview

import "encoding/binary"

// Take sets dst from its memory form; len(src) is len(dst) times the size of T. T is a bool, a
// number of a fixed size, or a named type of one.
func Take[T any](dst []T, src []byte) {
	if _, err := binary.Decode(src, binary.LittleEndian, dst); err != nil {
		panic("bytesview: " + err.Error()) // T was checked against the data type before
	}
}

// Put writes the memory form of src to dst, which is long enough.
func Put[T any](dst []byte, src []T) {
	if _, err := binary.Encode(dst, binary.LittleEndian, src); err != nil {
		panic("bytesview: " + err.Error())
	}
}

// PutValue writes the memory form of one value to dst; an error when v is not a number of a fixed
// size.
func PutValue(dst []byte, v any) error {
	_, err := binary.Encode(dst, binary.LittleEndian, v)
	return err
}
