//go:build purego

package bytesview

// Of returns false, because a build with the tag purego does not use views.
func Of[T any]([]T) ([]byte, bool) { return nil, false }

// Structs returns false, because a build with the tag purego does not use views.
func Structs[T any]([]T) ([]byte, bool) { return nil, false }

// As returns false, like Of.
func As[T any]([]byte) ([]T, bool) { return nil, false }
