package store

import (
	"context"
	"errors"
	"iter"
)

// The optional verbs. They are taken from the outermost value only: a decorator forwards each one explicitly, with its
// own meaning, or hides it. A method that a value cannot perform returns errors.ErrUnsupported, and the function that
// goes with the verb falls back to the four verbs of Store on the same value.

// PageLister lists in pages, so that a retry or a request limit applies to each request and not to the whole listing.
type PageLister interface {
	// ListPage returns one page of what List yields and the token of the next; token "" asks for the first page, and
	// an empty next means that this page was the last. A page may be empty where more follow. A token goes with the
	// prefix and the options that it was given for.
	ListPage(ctx context.Context, prefix string, o ListOptions, token string) (page []Entry, next string, err error)
}

// BatchDeleter removes many keys with few requests.
type BatchDeleter interface {
	// DeleteAll removes the keys; absent ones are no error. On error some may be gone; it names the first that is not.
	DeleteAll(ctx context.Context, keys []string) error
}

// PartPutter writes one value as parts, for values too large to send again whole.
type PartPutter interface {
	// PutParts begins a value. Nothing is visible before Commit.
	PutParts(ctx context.Context, key string) (Parts, error)
}

// Parts is a value under way. Part may be called concurrently.
type Parts interface {
	// Part sends part n, counted from 0; sending n again replaces it. Parts but the last may have a minimum size, which
	// MinPart tells.
	Part(ctx context.Context, n int, b []byte) error
	// MinPart is the smallest size in bytes of a part that is not the last.
	MinPart() int
	// Commit makes the parts, in order of n and without gaps, the value of the key, by the condition.
	Commit(ctx context.Context, o PutOptions) (Version, error)
	// Abort drops the parts. It may be called after a failed Commit, and does nothing after a successful one.
	Abort(ctx context.Context) error
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

// PutParts begins a value in parts; errors.ErrUnsupported when s cannot, and then Put is the way.
func PutParts(ctx context.Context, s Store, key string) (Parts, error) {
	if pp, ok := s.(PartPutter); ok {
		return pp.PutParts(ctx, key)
	}
	return nil, errors.ErrUnsupported
}
