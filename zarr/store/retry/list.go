package retry

import (
	"context"
	"errors"
	"iter"

	"github.com/zargo-io/zargo/internal/provider/pages"
	"github.com/zargo-io/zargo/zarr/store"
)

// List implements [store.Store].
func (s *Store) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return pages.All(func(token string) ([]store.Entry, string, error) {
		return s.ListPage(ctx, prefix, o, token)
	}, s.listWhole(ctx, prefix, o))
}

// ListPage implements [store.PageLister] if the store below does.
func (s *Store) ListPage(ctx context.Context, prefix string, o store.ListOptions, token string) (page []store.Entry, next string, err error) {
	pl, ok := s.Store.(store.PageLister)
	if !ok {
		return nil, "", errors.ErrUnsupported
	}
	err = s.run("list", prefix).do(ctx, func(ctx context.Context) error {
		page, next, err = pl.ListPage(ctx, prefix, o, token)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return page, next, nil
}

// listWhole retries a listing that fails before its first entry. A later retry could yield entries
// twice.
func (s *Store) listWhole(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		yielded := false
		err := s.run("list", prefix).do(ctx, func(ctx context.Context) error {
			for e, err := range s.Store.List(ctx, prefix, o) {
				if err != nil && !yielded {
					return err
				}
				yielded = true
				if !yield(e, err) || err != nil {
					return nil
				}
			}
			return nil
		})
		if err != nil {
			yield(store.Entry{}, err)
		}
	}
}
