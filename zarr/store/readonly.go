package store

import (
	"context"
	"iter"

	"github.com/zargo-io/zargo/zarr/fault"
)

// ReadOnly returns a store that reads from s and refuses writes. Put and Delete return
// fault.ReadOnly, and the optional verbs that write are missing. Handles found by [As] bypass
// ReadOnly, like every decorator. Close closes s.
func ReadOnly(s Store) Store { return &readOnly{Forward{s}} }

// IsReadOnly reports whether s, or a store that it wraps, has a method ReadOnly() bool that returns
// true. It makes no request, and therefore cannot detect that a server refuses writes.
func IsReadOnly(s Store) bool {
	for s != nil {
		if r, ok := s.(interface{ ReadOnly() bool }); ok && r.ReadOnly() {
			return true
		}
		w, ok := s.(Wrapper)
		if !ok {
			return false
		}
		s = w.Unwrap()
	}
	return false
}

// readOnly does not embed Forward, because verbs that write must not reach the store below.
type readOnly struct{ below Forward }

func (r *readOnly) refuse(op, key string) error {
	if err := CheckKey(key); err != nil {
		return &fault.KeyError{Op: op, Store: r.String(), Key: key, Err: err}
	}
	return &fault.KeyError{Op: op, Store: r.String(), Key: key, Kind: fault.ReadOnly}
}

func (r *readOnly) Get(ctx context.Context, key string, o GetOptions, buf []byte) (Value, error) {
	return r.below.Get(ctx, key, o, buf)
}

func (r *readOnly) Put(_ context.Context, key string, _ []byte, _ PutOptions) (Version, error) {
	return "", r.refuse("put", key)
}

func (r *readOnly) Delete(_ context.Context, key string, _ DeleteOptions) error {
	return r.refuse("delete", key)
}

func (r *readOnly) List(ctx context.Context, prefix string, o ListOptions) iter.Seq2[Entry, error] {
	return r.below.List(ctx, prefix, o)
}

func (r *readOnly) ListPage(ctx context.Context, prefix string, o ListOptions, token string) ([]Entry, string, error) {
	return r.below.ListPage(ctx, prefix, o, token)
}

func (r *readOnly) ReadOnly() bool { return true }
func (r *readOnly) Close() error   { return r.below.Close() }
func (r *readOnly) Unwrap() Store  { return r.below.Store }
func (r *readOnly) String() string { return r.below.String() }
