package store

// Conditions says which conditions of a write a store honours; the others it refuses with errors.ErrUnsupported. A store
// that lacks one gives its Conditions through [As], so that a caller who is going to need the condition finds out before
// anything is written, and not when the condition is first asked for.
type Conditions struct{ IfAbsent, IfVersion bool }

// ConditionsOf gives the conditions that s honours: all of them unless it says otherwise. It makes no request.
func ConditionsOf(s Store) Conditions {
	c := Conditions{IfAbsent: true, IfVersion: true}
	As(s, &c)
	return c
}
