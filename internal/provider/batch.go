package provider

import (
	"errors"

	"github.com/zargo-io/zargo/zarr/store"
)

// Batches deletes keys by calls to the function del, each with at most n keys. del returns the keys
// that it did not delete, in the order of its argument, and the error for the first of these keys.
// If del fails, Batches returns the first key that was not deleted and its error, as DeleteAll of
// blob.Hooks requires.
func Batches(keys []string, n int, del func([]string) (left []string, err error)) (key string, err error) {
	for len(keys) > 0 {
		n := min(n, len(keys))
		left, err := del(keys[:n])
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
