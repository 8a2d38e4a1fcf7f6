package store

import "reflect"

// Place says where the values of a store are. The value of a key is at Below + key in Root: two
// stores with equal Roots reach the same values, under keys that differ by their Below. A store
// that can be opened twice returns its Place through [As]; [PlaceOf] works out that of any other.
type Place struct {
	Root  any    // comparable: what names a bucket or a file system, or the store itself
	Below string // "", or a prefix of keys with its slash
}

// PlaceOf returns the Place of s. Decorators that have an Unwrap method are looked through, and are
// taken to leave keys as they are; [Prefix] is known. A store that says nothing is a Place of its
// own. It makes no request.
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
