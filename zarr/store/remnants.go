package store

import (
	"context"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Remnants removes temporary files of writers. A store in which a killed writer may leave some
// provides it through [As], and [Prefix] provides it for its own keys.
type Remnants interface {
	// RemoveRemnants removes the temporary files below a prefix, which is not "". The put of a
	// writer that is still alive fails, so it is for a prefix below which nobody is to write any
	// more. Links are not followed.
	RemoveRemnants(ctx context.Context, prefix string) error
}

// RemoveRemnants removes the temporary files below a prefix, see [Remnants]. Where a store has none
// it does nothing. fault.Path: the prefix is "", or no key begins so.
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
