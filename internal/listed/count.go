package listed

import (
	"context"
	"strings"

	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// Count lists the array at path and counts the objects whose position satisfies of, up to most. The
// listing need not be complete, so the count does not prove absence. The error is that of the
// listing.
func Count(ctx context.Context, s store.Store, path string, keys meta.KeyEncoding, rank int, of func(coord []int) bool, most float64) (n float64, err error) {
	for e, err := range store.ListAll(ctx, s, path, store.ListOptions{}) {
		if err != nil {
			return n, err
		}
		key := e.Key
		if path != "" {
			key = strings.TrimPrefix(key, path+"/")
		}
		if coord, ok := keys.Parse(key, rank); ok && of(coord) {
			if n++; n >= most {
				break
			}
		}
	}
	return n, nil
}
