package pages

import (
	"errors"
	"iter"
)

// All yields the entries of all pages. page returns a page and the token of the next; the first token
// is "", and so is the one after the last page. When the first page is errors.ErrUnsupported, the
// sequence is otherwise. A listing that calls its own pages has no other way to end there.
func All[E any](page func(token string) ([]E, string, error), otherwise iter.Seq2[E, error]) iter.Seq2[E, error] {
	return func(yield func(E, error) bool) {
		token := ""
		for first := true; ; first = false {
			entries, next, err := page(token)
			if first && errors.Is(err, errors.ErrUnsupported) {
				otherwise(yield)
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
