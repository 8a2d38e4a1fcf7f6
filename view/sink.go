package view

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// sink is the store that the arrays of a view are written to. It passes each value to the encoded
// of the context, and holds none.
type sink struct{ name string }

// encoded is the value that one write stores, or nil if all elements are the fill value.
type encoded struct{ bytes []byte }

type encodedKey struct{}

func (e *encoded) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, encodedKey{}, e)
}

func (s sink) Get(_ context.Context, key string, _ store.GetOptions, _ []byte) (store.Value, error) {
	return store.Value{}, &fault.KeyError{Op: "get", Store: s.name, Key: key, Kind: fault.NotFound}
}

func (s sink) Put(ctx context.Context, key string, value []byte, _ store.PutOptions) (store.Version, error) {
	e, ok := ctx.Value(encodedKey{}).(*encoded)
	if !ok {
		return "", &fault.KeyError{Op: "put", Store: s.name, Key: key, Kind: fault.ReadOnly}
	}
	e.bytes = slices.Clone(value)
	return "", nil
}

func (s sink) Delete(context.Context, string, store.DeleteOptions) error { return nil }

func (s sink) List(context.Context, string, store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) { yield(store.Entry{}, errors.ErrUnsupported) }
}

func (s sink) Close() error   { return nil }
func (s sink) String() string { return s.name }
