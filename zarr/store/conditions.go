package store

import (
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Conditions are the conditions of writes that a store honours. A store refuses a condition that it
// does not honour with errors.ErrUnsupported, and provides its Conditions through [As]. Callers can
// thus check them before they write anything.
type Conditions struct{ IfAbsent, IfVersion bool }

// ConditionsOf returns the conditions that s honours, without making a request. A store that does
// not provide Conditions is assumed to honour both.
func ConditionsOf(s Store) Conditions {
	c := Conditions{IfAbsent: true, IfVersion: true}
	As(s, &c)
	return c
}

// NoVersions returns the error for a conditional change in a store without versions: fault.ReadOnly
// if the store refuses all changes ([IsReadOnly]), else errors.ErrUnsupported. The parameter what
// describes the refused change, such as "nothing can be removed".
func NoVersions(s Store, what string) error {
	if IsReadOnly(s) {
		return fault.ReadOnly
	}
	return fault.Newf(errors.ErrUnsupported, "the store has no versions, so %s safely; see SingleWriter", what)
}
