package store

import "reflect"

// Place identifies where a store keeps its values. The value of a key is stored in Root under Below
// + key. Two stores with equal Roots contain the same values, under keys that differ by their
// Below. Stores that can be opened twice provide their Place through [As]. [PlaceOf] derives the
// Place of other stores.
type Place struct {
	Root  any    // comparable; identifies a bucket or a file system, or is the store itself
	Below string // "", or a key prefix with its trailing slash
}

// PlaceOf returns the Place of s, without making a request. It follows the Unwrap methods of
// decorators. Decorators are assumed to leave keys unchanged, except those of [Prefix]. If no store
// provides a Place, Root is the innermost store, or the Name of that store if its type is not
// comparable.
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
