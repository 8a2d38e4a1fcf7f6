package pages

import (
	"errors"
	"iter"
)

// All yields the entries of all pages. page returns one page and the token of the next page. The
// first token is "", and the last page returns the token "". If page returns errors.ErrUnsupported
// for the first page, All yields the entries of fallback. An error ends the iteration.
func All[E any](page func(token string) ([]E, string, error), fallback iter.Seq2[E, error]) iter.Seq2[E, error] {
	return func(yield func(E, error) bool) {
		token := ""
		for first := true; ; first = false {
			entries, next, err := page(token)
			if first && errors.Is(err, errors.ErrUnsupported) {
				fallback(yield)
				return
			}
			if err != nil {
				var none E
				yield(none, err)
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
