package zarr

import (
	"strings"

	"github.com/zargo-io/zargo/internal/chunkcache"
	"github.com/zargo-io/zargo/internal/pipeline"
	"github.com/zargo-io/zargo/zarr/cache"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Cache reads chunks through c, which any number of arrays may have. What this process writes or
// deletes through any array or group, with the option or without, is forgotten there. Entries of
// one store are shared by all arrays and views that decode its chunks in the same way. Check reads
// past it; [Limits.Requests] goes by what a read takes without it. Sharded arrays are read in parts, and
// past the cache in stores that have no versions or cannot give the end of an object.
func Cache(c *cache.Cache) Option {
	return Option{"Cache(…)", func(cfg *config) error {
		if c == nil {
			return fault.Newf(fault.Selection, "no cache")
		}
		cfg.cache = c
		return nil
	}}
}

// cached is the cache of an array, or nil. own stands for what all views of the array have in
// common.
func (n *node) cached(pipe *pipeline.Pipeline, own any, field []string) *chunkcache.Reader {
	if n.cfg.cache == nil {
		return nil
	}
	var by any
	switch {
	case n.at.Judge() != nil:
		by = own // what is found while decoding is this array's
	case n.cfg.own != nil:
		by = n.cfg.own
	}
	return n.cfg.cache.Of(n.Store(), by, strings.Join(append(field[:len(field):len(field)], pipe.Form()), "\x00"))
}
