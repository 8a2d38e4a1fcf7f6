package provider

import (
	"errors"
	"io"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Announced is what an answer says about itself: Skip bytes of its body, take N, the body has Body bytes and the value
// Size.
type Announced struct{ Skip, N, Body, Size int64 }

// CheckMax refuses more than the caller wants, before anything is read.
func (a Announced) CheckMax(o store.GetOptions) error {
	if o.Max > 0 && a.N > o.Max {
		return fault.Newf(fault.Limit, "%d bytes were announced, at most %d are wanted", a.N, o.Max)
	}
	return nil
}

// Receive appends what was announced to buf. A body that ends early is a *store.CutError of kind fault.Unavailable.
func (a Announced) Receive(body io.Reader, version store.Version, o store.GetOptions, buf []byte) (store.Value, error) {
	if err := a.CheckMax(o); err != nil {
		return store.Value{}, err
	}
	if _, err := io.CopyN(io.Discard, body, a.Skip); err != nil {
		return store.Value{}, fault.Newf(fault.Unavailable, "transfer cut: %w", Cause(err))
	}
	v := store.Value{Size: a.Size, Version: version}
	_, _, within := o.Range.IsWithin()
	var err error
	v.Bytes, err = store.ReadN(buf, body, a.N, o.Max > 0 || within)
	if err == nil && a.Skip+a.N == a.Body {
		err = store.AtEnd(body) // here an SDK compares its checksum
	}
	switch {
	case err == nil:
		return v, nil
	case errors.Is(err, fault.Limit) || errors.Is(err, fault.Unavailable):
		return store.Value{}, err
	case int64(len(v.Bytes)-len(buf)) == a.N:
		return store.Value{}, fault.Newf(fault.Unavailable, "the value arrived damaged: %w", Cause(err))
	}
	return store.Value{}, fault.Newf(fault.Unavailable, "%w", &store.CutError{Value: v, Want: a.N, Err: Cause(err)})
}
