package store

import (
	"context"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Remnants removes temporary files of writers. Stores in which a killed writer may leave temporary
// files provide it through [As]. [Prefix] provides it for its keys.
type Remnants interface {
	// RemoveRemnants removes the temporary files below prefix. prefix must not be "". A Put that is
	// in progress there fails, so call it only for prefixes without active writers. It does not
	// follow links.
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
