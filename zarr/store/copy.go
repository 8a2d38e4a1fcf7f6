package store

import (
	"context"
	"errors"
)

// Copier copies values within the store, without transferring them to this process.
type Copier interface {
	// Copy replaces the value of to by the value of from. Readers of to see the old value or the
	// new one.
	//
	//   - fault.NotFound: from is proven absent, and o.FromVersion is not set.
	//   - fault.Conflict: o.FromVersion is set and from is absent or has another version, or
	//     o.IfVersion is set and to is absent or has another version.
	//   - fault.Exists: o.IfAbsent is set and to holds a value.
	//   - fault.Limit: the value is longer than the provider copies in one request.
	//   - errors.ErrUnsupported: the store cannot copy, or cannot honour the condition. It never
	//     ignores one. The caller can use Get and Put instead.
	Copy(ctx context.Context, from, to string, o CopyOptions) (Version, error)
}

// CopyOptions condition a Copy. At most one of IfAbsent and IfVersion may be set; otherwise the
// Copy is fault.Selection.
type CopyOptions struct {
	FromVersion Version // copy only this version
	IfAbsent    bool    // write only if to holds no value
	IfVersion   Version // write only over this version of to
}

// Copy copies a value within s, see [Copier]. It returns errors.ErrUnsupported if s cannot copy;
// the caller can use Get and Put instead.
func Copy(ctx context.Context, s Store, from, to string, o CopyOptions) (Version, error) {
	if c, ok := s.(Copier); ok {
		return c.Copy(ctx, from, to, o)
	}
	return "", errors.ErrUnsupported
}
