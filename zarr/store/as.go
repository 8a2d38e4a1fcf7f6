package store

import "fmt"

// Provider is implemented by stores that expose handles, such as an SDK's client, a bucket or a
// Tuning.
type Provider interface {
	// If the store has a value of the type of *target, Provide sets *target to it and returns true.
	Provide(target any) bool
}

// Wrapper is implemented by decorators, including those that embed [Forward]. [As] and similar
// functions use it to reach the store below. Verbs are never looked up through Unwrap, because that
// would bypass a decorator such as a read-only or prefixed store.
type Wrapper interface {
	// Unwrap returns the store below.
	Unwrap() Store
}

// As finds a handle of the type of *target in s or in the stores that it wraps, outermost first. It
// sets *target to the handle and reports whether there is one:
//
//	var c *awss3.Client
//	ok := store.As(st, &c)
//
// Calls through a handle bypass every decorator. Use handles for operations that the Store
// interface does not have.
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

// Name returns the name of s for errors and reports. It is the result of String if s has that
// method, usually a URL, and otherwise the Go type of s.
func Name(s Store) string {
	if n, ok := s.(fmt.Stringer); ok {
		return n.String()
	}
	return fmt.Sprintf("%T", s)
}
