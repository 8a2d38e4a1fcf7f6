package store

import (
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Conditions says which conditions of a write a store honours; the others it refuses with
// errors.ErrUnsupported. A store that lacks one gives its Conditions through [As], so that a caller
// who is going to need the condition finds out before anything is written, and not when the
// condition is first asked for.
type Conditions struct{ IfAbsent, IfVersion bool }

// ConditionsOf gives the conditions that s honours: all of them unless it says otherwise. It makes
// no request.
func ConditionsOf(s Store) Conditions {
	c := Conditions{IfAbsent: true, IfVersion: true}
	As(s, &c)
	return c
}

// NoVersions returns why a change is refused that takes a condition, on a store without versions:
// fault.ReadOnly where the store takes no change at all ([IsReadOnly]), else errors.ErrUnsupported.
// what is the refused change, such as "nothing can be removed".
func NoVersions(s Store, what string) error {
	if IsReadOnly(s) {
		return fault.ReadOnly
	}
	return fault.Newf(errors.ErrUnsupported, "the store has no versions, so %s safely; see SingleWriter", what)
}
