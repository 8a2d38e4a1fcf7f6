package zarr

import (
	"github.com/zargo-io/zargo/zarr/cache"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Cache reads chunks through c, which any number of arrays may share. Arrays and views that decode
// the chunks of one store in the same way share entries. Writes and deletes by this process
// invalidate entries, whether or not the array or group that makes them has this option. c must not
// be nil (ErrSelection otherwise). By default chunks are not cached.
//
// [Array.Check] bypasses the cache. [Limits.Requests] counts the requests that a read would send
// without the cache. Sharded arrays, which are read in parts, bypass the cache if the store lacks
// versions or suffix ranges.
func Cache(c *cache.Cache) Option {
	return Option{"Cache(…)", func(cfg *config) error {
		if c == nil {
			return fault.Newf(fault.Selection, "the cache is nil")
		}
		cfg.Cache = c
		return nil
	}}
}
