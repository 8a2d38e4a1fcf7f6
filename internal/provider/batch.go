package provider

import (
	"errors"

	"github.com/zargo-io/zargo/zarr/store"
)

// Batches deletes keys with calls of some, each with at most n keys. On an error it returns the
// first key that was not deleted, as DeleteAll of blob.Hooks does. some returns the keys that were
// not deleted, in the order of its argument, and the error of the first of them.
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
