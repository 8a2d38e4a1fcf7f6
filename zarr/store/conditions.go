package store

import (
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Conditions are the conditions of writes that a store honours. It refuses others with
// errors.ErrUnsupported. A store that lacks one provides its Conditions through [As], so that
// callers can check before they write anything.
type Conditions struct{ IfAbsent, IfVersion bool }

// ConditionsOf returns the conditions that s honours, without a request. A store that does not
// provide Conditions honours all.
func ConditionsOf(s Store) Conditions {
	c := Conditions{IfAbsent: true, IfVersion: true}
	As(s, &c)
	return c
}

// NoVersions returns the error for a conditional change of a store without versions: fault.ReadOnly
// if the store refuses all changes ([IsReadOnly]), else errors.ErrUnsupported. what describes the
// refused change, such as "nothing can be removed".
func NoVersions(s Store, what string) error {
	if IsReadOnly(s) {
		return fault.ReadOnly
	}
	return fault.Newf(errors.ErrUnsupported, "the store has no versions, so %s safely; see SingleWriter", what)
}
