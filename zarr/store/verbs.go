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
	// an empty next means that this page was the last.
	ListPage(ctx context.Context, prefix string, depth Depth, token string) (page []Entry, next string, err error)
}

// BatchDeleter removes many keys with few requests.
type BatchDeleter interface {
	// DeleteAll removes the keys; absent ones are no error. On error some may be gone; it names the first that is not.
	DeleteAll(ctx context.Context, keys []string) error
}

// RangesGetter reads several ranges of one value with fewer requests than one each.
type RangesGetter interface {
	// GetRanges calls Get's contract once for each range; all values belong to one version. bufs[i] is the buffer for
	// ranges[i] and may be nil.
	GetRanges(ctx context.Context, key string, ranges []Range, o GetOptions, bufs [][]byte) ([]Value, error)
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
func Pages(ctx context.Context, s Store, prefix string, depth Depth) iter.Seq2[Entry, error] {
	pl, ok := s.(PageLister)
	if !ok {
		return s.List(ctx, prefix, depth)
	}
	return func(yield func(Entry, error) bool) {
		token := ""
		for first := true; ; first = false {
			page, next, err := pl.ListPage(ctx, prefix, depth, token)
			if first && errors.Is(err, errors.ErrUnsupported) {
				s.List(ctx, prefix, depth)(yield)
				return
			}
			if err != nil {
				yield(Entry{}, err)
				return
			}
			for _, e := range page {
				if !yield(e, nil) {
					return
				}
			}
			if next == "" {
				return
			}
			token = next
		}
	}
}

// GetRanges reads several ranges of one version of key, with few requests where s can, else one Get each, the later
// ones pinned to the version of the first (fault.Conflict when it was replaced in between).
func GetRanges(ctx context.Context, s Store, key string, ranges []Range, o GetOptions, bufs [][]byte) ([]Value, error) {
	if rg, ok := s.(RangesGetter); ok {
		vs, err := rg.GetRanges(ctx, key, ranges, o, bufs)
		if !errors.Is(err, errors.ErrUnsupported) {
			return vs, err
		}
	}
	vs := make([]Value, len(ranges))
	for i, r := range ranges {
		o.Range = r
		var buf []byte
		if i < len(bufs) {
			buf = bufs[i]
		}
		v, err := s.Get(ctx, key, o, buf)
		if err != nil {
			return nil, err
		}
		vs[i] = v
		if v.Version != "" {
			o.IfVersion, o.IfNotVersion = v.Version, ""
		}
	}
	return vs, nil
}

// PutParts begins a value in parts; errors.ErrUnsupported when s cannot, and then Put is the way.
func PutParts(ctx context.Context, s Store, key string) (Parts, error) {
	if pp, ok := s.(PartPutter); ok {
		return pp.PutParts(ctx, key)
	}
	return nil, errors.ErrUnsupported
}
