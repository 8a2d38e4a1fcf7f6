package store

import "fmt"

// Provider is implemented by a store that lets callers reach what it is made of: an SDK's client, a
// bucket, Tuning.
type Provider interface {
	// Provide sets target, a pointer, when the store holds a value of its type.
	Provide(target any) bool
}

// Wrapper is implemented by decorators, for As and Name only. [Forward] has its method. Verbs are
// never looked up through it: that would pierce a read-only or a prefixed store.
type Wrapper interface {
	// Unwrap returns the store below.
	Unwrap() Store
}

// As finds a provider's handle in s or in what s wraps, outermost first, and sets target to it:
//
//	var c *awss3.Client
//	ok := store.As(st, &c)
//
// Handles bypass every decorator; they are for what the contract does not cover.
func As(s Store, target any) bool {
	for s != nil {
		if p, ok := s.(Provider); ok && p.Provide(target) {
			return true
		}
		w, ok := s.(Wrapper)
		if !ok {
			return false
		}
		s = w.Unwrap()
	}
	return false
}

// Name is how the store calls itself in errors and reports: its URL where it has one, else its Go
// type.
func Name(s Store) string {
	if n, ok := s.(fmt.Stringer); ok {
		return n.String()
	}
	return fmt.Sprintf("%T", s)
}
