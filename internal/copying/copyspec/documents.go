package copyspec

import (
	"context"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
)

// Documents consolidates the metadata of a created group in st, and returns all documents by key.
func Documents(ctx context.Context, st store.Store, group string, opts ...zarr.Option) (map[string]string, error) {
	g, err := zarr.OpenGroup(ctx, st, group, opts...)
	if err == nil {
		_, err = g.Consolidate(ctx)
	}
	if err != nil {
		return nil, err
	}
	return Texts(ctx, st)
}

// Texts returns all values of st by key.
func Texts(ctx context.Context, st store.Store) (map[string]string, error) {
	texts := map[string]string{}
	for e, err := range store.ListAll(ctx, st, "", store.ListOptions{}) {
		if err != nil {
			return nil, err
		}
		v, err := st.Get(ctx, e.Key, store.GetOptions{}, nil)
		if err != nil {
			return nil, err
		}
		texts[e.Key] = string(v.Bytes)
	}
	return texts, nil
}
