package store

import (
	"context"
	"iter"
)

// The optional verbs. They are taken from the outermost value only: a decorator forwards each one
// with [Forward], declares it with its own meaning, or hides it. A method that a value cannot
// perform returns errors.ErrUnsupported, and the function that goes with the verb falls back to the
// four verbs of Store on the same value.

// PageLister lists in pages, so that a retry or a request limit applies to each request and not to
// the whole listing.
type PageLister interface {
	// ListPage returns one page of what List yields and the token of the next; token "" asks for
	// the first page, and an empty next means that this page was the last. A page may be empty
	// where more follow. A token goes with the prefix and the options that it was given for.
	ListPage(ctx context.Context, prefix string, o ListOptions, token string) (page []Entry, next string, err error)
}

// BatchDeleter removes many keys with few requests.
type BatchDeleter interface {
	// DeleteAll removes the keys; absent ones are no error. On error some may be gone; it names the
	// first that is not, and where it is known which ones are left it is a [*NotDeleted].
	// errors.ErrUnsupported: none is gone. [DeleteAll] asks for as many at once as the Tuning's
	// DeleteBatch, which is one request.
	DeleteAll(ctx context.Context, keys []string) error
}

// Pages yields what s.List yields, page by page where s can.
func Pages(ctx context.Context, s Store, prefix string, o ListOptions) iter.Seq2[Entry, error] {
	pl, ok := s.(PageLister)
	if !ok {
		return s.List(ctx, prefix, o)
	}
	return PagesOf(func(token string) ([]Entry, string, error) {
		return pl.ListPage(ctx, prefix, o, token)
	}, func(yield func(Entry, error) bool) { s.List(ctx, prefix, o)(yield) }) // asked only then: List may be made of Pages
}
