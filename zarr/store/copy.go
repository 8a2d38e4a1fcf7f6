package store

import (
	"context"
	"errors"
)

// Copier copies values within the store without transferring them to this process.
type Copier interface {
	// Copy copies the value of the source key from to the destination key to, and replaces any
	// value there. Concurrent readers of the destination see the old value or the new one. Copy
	// fails with:
	//
	//   - fault.NotFound if the source is proven absent and o.FromVersion is not set
	//   - fault.Conflict if o.FromVersion is set and the source is absent or has another version,
	//     or if o.IfVersion is set and the destination is absent or has another version
	//   - fault.Exists if o.IfAbsent is set and the destination holds a value
	//   - fault.Limit if the value is longer than the provider copies in one request
	//   - errors.ErrUnsupported if the store cannot copy or cannot honour the condition
	//
	// A store never ignores a condition. After errors.ErrUnsupported the caller can use Get and
	// Put.
	Copy(ctx context.Context, from, to string, o CopyOptions) (Version, error)
}

// CopyOptions sets the conditions of a Copy. At most one of IfAbsent and IfVersion may be set;
// otherwise Copy returns fault.Selection.
type CopyOptions struct {
	FromVersion Version // copy only this version of the source
	IfAbsent    bool    // write only if the destination does not hold a value
	IfVersion   Version // write only over this version of the destination
}

// Copy copies a value within s; see [Copier]. It returns errors.ErrUnsupported if s cannot copy.
// The caller can then use Get and Put.
func Copy(ctx context.Context, s Store, from, to string, o CopyOptions) (Version, error) {
	if c, ok := s.(Copier); ok {
		return c.Copy(ctx, from, to, o)
	}
	return "", errors.ErrUnsupported
}
