package view

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// sink is the store that the arrays of a view are written to. It passes each value to the encoded
// of the context. The documents of the arrays are in docs.
type sink struct {
	docs *mem.Store
	name string
}

// encoded are the values that one write stores, by key. They lack those whose elements are all the
// fill value.
type encoded struct {
	mu     sync.Mutex
	values map[string][]byte
}

type encodedKey struct{}

func (e *encoded) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, encodedKey{}, e)
}

func (s sink) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	return s.docs.Get(ctx, key, o, buf)
}

func (s sink) Put(ctx context.Context, key string, value []byte, _ store.PutOptions) (store.Version, error) {
	e, ok := ctx.Value(encodedKey{}).(*encoded)
	if !ok {
		return "", &fault.KeyError{Op: "put", Store: s.name, Key: key, Kind: fault.ReadOnly}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.values == nil {
		e.values = map[string][]byte{}
	}
	e.values[key] = slices.Clone(value)
	return "", nil
}

func (s sink) Delete(context.Context, string, store.DeleteOptions) error { return nil }

func (s sink) List(context.Context, string, store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) { yield(store.Entry{}, errors.ErrUnsupported) }
}

func (s sink) Close() error   { return nil }
func (s sink) String() string { return s.name }
