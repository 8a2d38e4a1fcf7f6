package store

import (
	"context"
	"errors"
)

// Forward is a store to embed in a decorator. It forwards each verb to Store, the store below. It
// returns errors.ErrUnsupported for optional verbs that the store below lacks. A decorator declares
// the verbs that it changes, and calls those of Forward to reach the store below:
//
//	type counted struct {
//		store.Forward
//		gets atomic.Int64
//	}
//
//	func (c *counted) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
//		c.gets.Add(1)
//		return c.Forward.Get(ctx, key, o, buf)
//	}
//
// A decorator that refuses writes or changes keys must not forward a verb by default. It holds its
// Forward in a named field instead of embedding it. The decorator then lacks all verbs that it does
// not declare, including verbs that later versions of this package add.
type Forward struct{ Store }

// ListPage implements [PageLister].
func (f Forward) ListPage(ctx context.Context, prefix string, o ListOptions, token string) ([]Entry, string, error) {
	if l, ok := f.Store.(PageLister); ok {
		return l.ListPage(ctx, prefix, o, token)
	}
	return nil, "", errors.ErrUnsupported
}

// DeleteAll implements [BatchDeleter].
func (f Forward) DeleteAll(ctx context.Context, keys []string) error {
	if d, ok := f.Store.(BatchDeleter); ok {
		return d.DeleteAll(ctx, keys)
	}
	return errors.ErrUnsupported
}

// PutParts implements [PartPutter].
func (f Forward) PutParts(ctx context.Context, key string, o PartsOptions) (Parts, error) {
	return PutParts(ctx, f.Store, key, o)
}

// Copy implements [Copier].
func (f Forward) Copy(ctx context.Context, from, to string, o CopyOptions) (Version, error) {
	return Copy(ctx, f.Store, from, to, o)
}

// Unwrap implements [Wrapper].
func (f Forward) Unwrap() Store { return f.Store }

// String returns the name of the wrapped store.
func (f Forward) String() string { return Name(f.Store) }
