package pyramid_test

import (
	"context"
	"iter"
	"testing"

	"github.com/zargo-io/zargo/pyramid"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// versionless is a store that supports IfAbsent and reports no versions.
type versionless struct{ store.Store }

func (s versionless) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	v, err := s.Store.Get(ctx, key, o, buf)
	v.Version = ""
	return v, err
}

func (s versionless) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	_, err := s.Store.Put(ctx, key, b, o)
	return "", err
}

func (s versionless) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for e, err := range s.Store.List(ctx, prefix, o) {
			if e.Version = ""; !yield(e, err) {
				return
			}
		}
	}
}

func TestStoreWithoutVersions(t *testing.T) {
	st, alone := versionless{mem.New()}, []zarr.Option{zarr.SingleWriter()}
	image(t, st.Store, "a", small())
	build(t, st, "a", pyramid.Options{Levels: 2, Zarr: alone})
	build(t, st, "a", pyramid.Options{Levels: 3, Zarr: alone})
}
