package provider

import (
	"errors"

	"github.com/zargo-io/zargo/zarr/store"
)

// Batches deletes keys by some, at most n at a time, as blob.Hooks has DeleteAll: on error with the
// key that it is about. some gives the keys that are left, in their order, and why the first of
// them is.
func Batches(keys []string, n int, some func([]string) (left []string, err error)) (key string, err error) {
	for len(keys) > 0 {
		n := min(n, len(keys))
		left, err := some(keys[:n])
		switch {
		case errors.Is(err, errors.ErrUnsupported):
			return keys[0], err
		case err != nil:
			left = append(left[:len(left):len(left)], keys[n:]...)
			return left[0], &store.NotDeleted{Keys: left, Err: err}
		}
		keys = keys[n:]
	}
	return "", nil
}
