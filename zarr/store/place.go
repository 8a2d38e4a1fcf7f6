package store

import "reflect"

// Place identifies the location of a store's values: the value of a key is at Below + key in Root.
// Two stores with equal Roots reach the same values, under keys that differ by their Below. Stores
// that can be opened twice return their Place through [As]. [PlaceOf] derives that of other stores.
type Place struct {
	Root  any    // comparable; identifies a bucket or a file system, or is the store itself
	Below string // "", or a key prefix with its trailing slash
}

// PlaceOf returns the Place of s without a request. It looks through decorators that have an Unwrap
// method and assumes that they leave keys unchanged, except [Prefix], which it supports. A store
// that does not provide a Place has one of its own.
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
