//go:build purego

package bytesview

// Of returns false: a build with purego has no views.
func Of[T any]([]T) ([]byte, bool) { return nil, false }

// Structs returns false: a build with purego has no views.
func Structs[T any]([]T) ([]byte, bool) { return nil, false }
