package store

import "reflect"

// Place identifies the location of a store's values. The value of a key is at Below + key in Root.
// Two stores with equal Roots reach the same values, under keys that differ by their Below. Stores
// that can be opened twice provide their Place through [As]. [PlaceOf] derives the Place of other
// stores.
type Place struct {
	Root  any    // comparable; identifies a bucket or a file system, or is the store itself
	Below string // "", or a key prefix with its trailing slash
}

// PlaceOf returns the Place of s. It makes no request. It follows the Unwrap methods of decorators
// and assumes that decorators leave keys unchanged; [Prefix] is supported. If no store provides a
// Place, the Root is the innermost store itself, or its Name if it is not comparable.
func PlaceOf(s Store) Place {
	var p Place
	if As(s, &p) {
		return p
	}
	for {
		w, ok := s.(Wrapper)
		if !ok {
			break
		}
		s = w.Unwrap()
	}
	if !reflect.ValueOf(s).Comparable() {
		return Place{Root: Name(s)}
	}
	return Place{Root: s}
}
