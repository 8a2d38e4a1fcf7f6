package provider

import (
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// CheckVersion refuses a response with a value whose version is not what the request's conditions
// ask for: a server that ignores conditions must not get away with it.
func CheckVersion(got store.Version, o store.GetOptions) error {
	switch {
	case o.IfVersion != "" && got != o.IfVersion:
		return fault.Newf(fault.Conflict, "version %s was asked for, %s is there", o.IfVersion, got)
	case o.IfNotVersion != "" && got == o.IfNotVersion:
		return fault.Newf(fault.Unchanged, "it still is version %s", got)
	}
	return nil
}

// CheckDelete returns why the version v is not to be deleted. err is the outcome of a Get of the key
// by the conditions of [LookFor]. A provider honours the condition of a delete itself, but a server
// that ignores it would delete a value that nobody meant. The look narrows that to a race.
func CheckDelete(v store.Version, err error) error {
	switch {
	case errors.Is(err, fault.Unchanged):
		return nil
	case err == nil, errors.Is(err, fault.Limit):
		return fault.Newf(fault.Conflict, "version %s was to be deleted, another is there", v)
	}
	return &store.UnsentError{Err: err}
}

// LookFor is a Get that finds out whether the key holds the version, and reads one byte at most.
func LookFor(v store.Version) store.GetOptions { return store.GetOptions{IfNotVersion: v, Max: 1} }

// Left returns the keys of a batch that are left, and why the first of them is. why has the reason
// for each key, nil where it is gone.
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

// Unmentioned are the reasons for n keys that a response to a batch does not mention.
func Unmentioned(n int, foreign func(string) error) []error {
	why := make([]error, n)
	for i := range why {
		why[i] = foreign("it does not mention this key")
	}
	return why
}

// Partial is what a response with a range says about itself: its Content-Range must be exactly what
// was asked for. length is that of its body, or nil.
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
		return Announced{}, foreign(fmt.Sprintf("bytes %v were asked for, it holds %q", r, contentRange))
	}
	return Announced{N: n, Body: n, Size: size}, nil
}
