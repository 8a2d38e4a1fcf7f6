package provider

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// CheckCopy returns an error if a copy must not be sent to a server that may ignore its conditions,
// because the server is not the provider's own. own names the servers that honour them, and get is
// the Get of the store. CheckCopy reads the source if the copy has a condition on it. After this
// check, another version can be copied only in a race.
//
// CheckCopy returns errors.ErrUnsupported for a condition on the destination, and fault.Conflict if
// another version of the source is stored. Other errors are an [*UnsentError].
func CheckCopy(ctx context.Context, own, from string, o store.CopyOptions,
	get func(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error),
) error {
	if o.IfAbsent || o.IfVersion != "" {
		return fault.Newf(errors.ErrUnsupported, "copies with a condition on the destination are supported only on %s", own)
	}
	if o.FromVersion == "" {
		return nil
	}
	switch _, err := get(ctx, from, LookFor(o.FromVersion), nil); {
	case errors.Is(err, fault.Unchanged):
		return nil
	case err == nil, errors.Is(err, fault.Limit):
		return fault.Newf(fault.Conflict, "version %s was to be copied, but another version is stored", o.FromVersion)
	default:
		return &UnsentError{Err: err}
	}
}
