package store

import (
	"context"
	"errors"
)

// Copier copies values within the store, without sending them here and back.
type Copier interface {
	// Copy makes the value of from the value of to as well. Readers of to see the old value or the
	// new one.
	//
	// fault.NotFound: from is proven absent, and o.FromVersion is not set. fault.Conflict:
	// o.FromVersion is set and from is absent or holds another version, or o.IfVersion is set and
	// to is absent or holds another version. fault.Exists: o.IfAbsent is set and to holds a value.
	// fault.Limit: the value is longer than the provider copies at once. errors.ErrUnsupported: the
	// store cannot copy, or not by the condition; it never ignores one. Then Get and Put are the
	// way.
	Copy(ctx context.Context, from, to string, o CopyOptions) (Version, error)
}

// CopyOptions condition a Copy. At most one of IfAbsent and IfVersion may be set; both are an error
// of kind fault.Selection.
type CopyOptions struct {
	FromVersion Version // copy only this version
	IfAbsent    bool    // write only if to holds no value
	IfVersion   Version // write only over this version of to
}

// Copy copies a value within s; errors.ErrUnsupported when s cannot, and then Get and Put are the
// way.
func Copy(ctx context.Context, s Store, from, to string, o CopyOptions) (Version, error) {
	if c, ok := s.(Copier); ok {
		return c.Copy(ctx, from, to, o)
	}
	return "", errors.ErrUnsupported
}
