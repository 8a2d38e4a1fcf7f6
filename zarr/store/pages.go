package store

import (
	"errors"
	"iter"
)

// PagesOf makes a listing out of pages, for decorators: page is asked for the first page with token
// "" and then for each next one. When the first page is errors.ErrUnsupported, the listing is
// otherwise; with [Pages] alone, a decorator whose List is made of its own ListPage would turn in a
// circle there.
func PagesOf(page func(token string) ([]Entry, string, error), otherwise iter.Seq2[Entry, error]) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		token := ""
		for first := true; ; first = false {
			entries, next, err := page(token)
			if first && errors.Is(err, errors.ErrUnsupported) {
				otherwise(yield)
				return
			}
			if err != nil {
				yield(Entry{}, err)
				return
			}
			for _, e := range entries {
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
