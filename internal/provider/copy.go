package provider

import (
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// CheckSource returns an error if a copy of version v of a source must not be sent to a server that
// may ignore the condition. Before the copy, the caller sends a Get of the source with the options
// of [LookFor]; err is the error of that Get. After this check, another version can be copied only
// in a race.
//
// CheckSource returns fault.Conflict if another version is stored. Other errors are an
// [*UnsentError].
func CheckSource(v store.Version, err error) error {
	switch {
	case errors.Is(err, fault.Unchanged):
		return nil
	case err == nil, errors.Is(err, fault.Limit):
		return fault.Newf(fault.Conflict, "version %s was to be copied, but another version is stored", v)
	}
	return &UnsentError{Err: err}
}

// NoConditions returns the error of a copy with a condition on the destination, if the server is
// not the provider's own and may ignore the condition.
func NoConditions(provider string) error {
	return fault.Newf(errors.ErrUnsupported, "copies with a condition on the destination are supported only on %s", provider)
}
