package provider

import (
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// CheckVersion checks that the version of a received value satisfies the conditions of the request,
// in case the server ignored them. It returns fault.Conflict if the version is not o.IfVersion, and
// fault.Unchanged if it is o.IfNotVersion.
func CheckVersion(got store.Version, o store.GetOptions) error {
	switch {
	case o.IfVersion != "" && got != o.IfVersion:
		return fault.Newf(fault.Conflict, "version %s was requested, but the current version is %s", o.IfVersion, got)
	case o.IfNotVersion != "" && got == o.IfNotVersion:
		return fault.Newf(fault.Unchanged, "the current version is still %s", got)
	}
	return nil
}

// CheckDelete returns an error if a conditional delete of version v must not be sent. Before the
// delete, the caller sends a Get of the key with the options of [LookFor]; err is the error of that
// Get. A server that ignores the condition of a delete could otherwise delete another version.
// After this check, another version can be deleted only in a race.
//
// CheckDelete returns fault.Conflict if another version is stored. Other errors are an
// [*UnsentError].
func CheckDelete(v store.Version, err error) error {
	switch {
	case errors.Is(err, fault.Unchanged):
		return nil
	case err == nil, errors.Is(err, fault.Limit):
		return fault.Newf(fault.Conflict, "version %s was to be deleted, but another version is stored", v)
	}
	return &UnsentError{Err: err}
}

// LookFor returns the options of a Get that checks whether the value of a key has version v. If the
// value has this version, the Get returns fault.Unchanged. The Get reads at most one byte.
func LookFor(v store.Version) store.GetOptions { return store.GetOptions{IfNotVersion: v, Max: 1} }

// Left returns the keys of a batch that were not deleted, and the error of the first of these keys.
// The slice why contains one element for each key: the error of the key, or nil if the key was
// deleted.
func Left(keys []string, why []error) (left []string, first error) {
	for i, err := range why {
		if err == nil {
			continue
		}
		if left = append(left, keys[i]); first == nil {
			first = err
		}
	}
	return left, first
}

// Unmentioned returns errors for n keys of a batch, as if the response did not mention any of them.
// The caller replaces the errors of the keys that the response mentions.
func Unmentioned(n int, foreign func(string) error) []error {
	why := make([]error, n)
	for i := range why {
		why[i] = foreign("it does not mention this key")
	}
	return why
}

// Partial returns the lengths in a response to a request for range r. length is the length of the
// body, or nil if unknown. If contentRange is malformed, or differs from r, Partial returns an
// error made by foreign. If the value is shorter than r, it returns the error of
// [store.Range.Resolve].
func Partial(r store.Range, length *int64, contentRange string, foreign func(string) error) (Announced, error) {
	first, last, size, ok := ContentRange(contentRange)
	if !ok {
		return Announced{}, foreign(fmt.Sprintf("its Content-Range is %q", contentRange))
	}
	off, n, err := r.Resolve(size)
	if err != nil {
		return Announced{}, err
	}
	if first != off || last-first+1 != n || length != nil && *length != n {
		return Announced{}, foreign(fmt.Sprintf("its Content-Range is %q for the requested range %v", contentRange, r))
	}
	return Announced{N: n, Body: n, Size: size}, nil
}
