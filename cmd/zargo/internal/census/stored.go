package census

import (
	"context"
	"strings"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
)

// Stored lists the array, and returns the number of objects whose positions are in the box that
// begins at the position at. It stops when the count reaches limit. The listing may be incomplete,
// so the count does not prove absence. If the listing fails, Stored returns its error.
func Stored(ctx context.Context, a *zarr.Array, at, shape []int, limit float64) (n float64, err error) {
	keys := a.Metadata().Keys
	for e, err := range store.ListAll(ctx, a.Store(), a.Path(), store.ListOptions{}) {
		if err != nil {
			return n, err
		}
		key := e.Key
		if a.Path() != "" {
			key = strings.TrimPrefix(key, a.Path()+"/")
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
