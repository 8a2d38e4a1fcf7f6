package listed

import (
	"context"
	"strings"

	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// Count lists the array at path, and returns the number of objects whose positions are in the box
// that begins at the position at. It stops when the count reaches limit. The listing may be
// incomplete, so the count does not prove absence. If the listing fails, Count returns its error.
func Count(ctx context.Context, s store.Store, path string, keys meta.KeyEncoding, at, shape []int, limit float64) (n float64, err error) {
	for e, err := range store.ListAll(ctx, s, path, store.ListOptions{}) {
		if err != nil {
			return n, err
		}
		key := e.Key
		if path != "" {
			key = strings.TrimPrefix(key, path+"/")
		}
		coord, ok := keys.Parse(key, len(at))
		for k, c := range coord {
			ok = ok && c >= at[k] && c-at[k] < shape[k]
		}
		if ok {
			if n++; n >= limit {
				break
			}
		}
	}
	return n, nil
}
