package zarr

import (
	"strings"

	chunkcache "github.com/zargo-io/zargo/internal/chunk/cache"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
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
		cfg.cache = c
		return nil
	}}
}

// cached returns the array's reader of its cache, if any. own is shared by all views of the array.
func (n *node) cached(pipe *pipeline.Pipeline, own any, field []string) *chunkcache.Reader {
	if n.cfg.cache == nil {
		return nil
	}
	var by any
	switch {
	case n.at.Judge() != nil:
		by = own // findings of the decoder must be reported for this array only
	case n.cfg.own != nil:
		by = n.cfg.own
	}
	return n.cfg.cache.Of(n.Store(), by, strings.Join(append(field[:len(field):len(field)], pipe.Form()), "\x00"))
}
