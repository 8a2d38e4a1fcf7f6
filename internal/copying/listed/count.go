package listed

import (
	"context"
	"strings"

	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// Count lists the array at path, and returns the number of objects whose positions match accepts.
// It stops when the count reaches limit. The listing may be incomplete, so the count does not prove
// absence. If the listing fails, Count returns its error.
func Count(ctx context.Context, s store.Store, path string, keys meta.KeyEncoding, rank int, match func(coord []int) bool, limit float64) (n float64, err error) {
	for e, err := range store.ListAll(ctx, s, path, store.ListOptions{}) {
		if err != nil {
			return n, err
		}
		key := e.Key
		if path != "" {
			key = strings.TrimPrefix(key, path+"/")
		}
		if coord, ok := keys.Parse(key, rank); ok && match(coord) {
			if n++; n >= limit {
				break
			}
		}
	}
	return n, nil
}
