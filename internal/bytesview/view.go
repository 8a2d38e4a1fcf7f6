//go:build !purego

package bytesview

import (
	"encoding/binary"
	"reflect"
	"unsafe"
)

// Of returns the memory of s as bytes, and whether that is its memory form: the machine is
// little-endian and T holds no pointers. The bytes are valid as long as s is.
func Of[T any](s []T) ([]byte, bool) {
	if !plain(reflect.TypeFor[T]()) || binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil, false
	}
	if len(s) == 0 {
		return []byte{}, true
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(s[0]))), true
}

// plain tells whether values of t are nothing but numbers of a fixed size.
func plain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16,
		reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return true
	case reflect.Array:
		return plain(t.Elem())
	}
	return false
}

// Structs returns the memory of s, structs of nothing but numbers, and whether numbers in it lie
// little-endian. Between fields there may be padding, which means nothing.
func Structs[T any](s []T) ([]byte, bool) {
	if !numbers(reflect.TypeFor[T]()) || binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil, false
	}
	if len(s) == 0 {
		return []byte{}, true
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(s[0]))), true
}

// numbers tells whether values of t hold no pointers and nothing of the machine's word size.
func numbers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return numbers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !numbers(t.Field(i).Type) {
				return false
			}
		}
		return true
	}
	return plain(t)
}
