//go:build purego

package bytesview

// Of never finds a view in a build without unsafe.
func Of[T any]([]T) ([]byte, bool) { return nil, false }

// Structs never finds a view in a build without unsafe.
func Structs[T any]([]T) ([]byte, bool) { return nil, false }
