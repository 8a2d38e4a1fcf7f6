package store

import (
	"context"
	"iter"

	"github.com/zargo-io/zargo/internal/provider/pages"
)

// The optional verbs are looked up only in the outermost store. A decorator forwards a verb with
// [Forward], declares it with another meaning, or lacks it. If the store below does not support a
// verb, the method returns errors.ErrUnsupported. The function of this package for that verb then
// uses the four verbs of the same store instead, if possible.

// PageLister lists in pages, so that a retry or a request limit applies to each request and not to
// the whole listing.
type PageLister interface {
	// ListPage returns one page of the entries that List yields, and the token of the next page.
	// The token of the first page is "". The result next is "" after the last page. A page may be
	// empty without being the last. A token is valid only with the prefix and options of the call
	// that returned it.
	ListPage(ctx context.Context, prefix string, o ListOptions, token string) (page []Entry, next string, err error)
}

// BatchDeleter removes many keys with few requests.
type BatchDeleter interface {
	// DeleteAll removes the keys. Absent keys are not an error. After an error some keys may have
	// been removed. The error contains the first remaining key, and is a [*NotDeleted] if all
	// remaining keys are known. After errors.ErrUnsupported no key has been removed. The function
	// [DeleteAll] passes at most Tuning.DeleteBatch keys, which the provider deletes in one
	// request.
	DeleteAll(ctx context.Context, keys []string) error
}

// Pages yields the same entries as s.List. If s is a [PageLister], it requests them page by page.
func Pages(ctx context.Context, s Store, prefix string, o ListOptions) iter.Seq2[Entry, error] {
	pl, ok := s.(PageLister)
	if !ok {
		return s.List(ctx, prefix, o)
	}
	return pages.All(func(token string) ([]Entry, string, error) {
		return pl.ListPage(ctx, prefix, o, token)
	}, func(yield func(Entry, error) bool) {
		// List is called only when the sequence is read, because List may be implemented with
		// Pages.
		s.List(ctx, prefix, o)(yield)
	})
}
