//go:build !purego

package bytesview

import (
	"encoding/binary"
	"reflect"
	"unsafe"
)

// Of returns the memory of s as bytes. It returns false if these bytes are not the memory form,
// because the machine is big-endian or T does not consist of bools and numbers of fixed size. The
// bytes share the memory of s.
func Of[T any](s []T) ([]byte, bool) { return memory(s, plain) }

// memory returns the memory of s as bytes, if the machine is little-endian and T is as required.
func memory[T any](s []T, is func(reflect.Type) bool) ([]byte, bool) {
	if !is(reflect.TypeFor[T]()) || binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil, false
	}
	if len(s) == 0 {
		return []byte{}, true
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(s[0]))), true
}

// As returns b, elements in memory form, as a slice of T. It returns false if Of would, or if b is
// not aligned for T. The slice shares the memory of b.
func As[T any](b []byte) ([]T, bool) {
	var one T
	size, at := int(unsafe.Sizeof(one)), unsafe.Pointer(unsafe.SliceData(b))
	if _, ok := Of([]T{}); !ok || size == 0 || len(b)%size != 0 || uintptr(at)%unsafe.Alignof(one) != 0 {
		return nil, false
	}
	return unsafe.Slice((*T)(at), len(b)/size), true
}

// plain reports whether values of t consist of bools and numbers of fixed size.
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

// Structs returns the memory of s, a slice of structs of numbers, as bytes. It returns false on a
// big-endian machine. The bytes share the memory of s. Padding between fields has undefined
// contents.
func Structs[T any](s []T) ([]byte, bool) { return memory(s, numbers) }

// numbers reports whether values of t contain only numbers whose size is the same on all machines.
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
