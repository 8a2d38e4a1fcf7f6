package store

import (
	"context"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Remnants removes temporary files of writers. A store provides a Remnants through [As] if a killed
// writer may leave temporary files in it. A store made by [Prefix] provides one for the keys below
// its prefix.
type Remnants interface {
	// RemoveRemnants removes the temporary files below prefix. prefix must not be "". It makes any
	// Put in progress below prefix fail, so use it only while nothing is written there. Symbolic
	// links are not followed.
	RemoveRemnants(ctx context.Context, prefix string) error
}

// RemoveRemnants removes the temporary files below a prefix; see [Remnants]. It does nothing in a
// store without temporary files. It returns fault.Path if prefix fails [CheckKey].
func RemoveRemnants(ctx context.Context, s Store, prefix string) error {
	if err := CheckKey(prefix); err != nil {
		return &fault.KeyError{Op: "delete", Store: Name(s), Key: prefix, Err: err}
	}
	var r Remnants
	if !As(s, &r) {
		return nil
	}
	return r.RemoveRemnants(ctx, prefix)
}

type prefixedRemnants struct {
	r      Remnants
	prefix string
}

func (p prefixedRemnants) RemoveRemnants(ctx context.Context, prefix string) error {
	return p.r.RemoveRemnants(ctx, p.prefix+prefix)
}
