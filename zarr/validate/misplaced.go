package validate

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
)

// maxMisplaced is how many chunks of an array are asked for because a key is in their way. 100, as
// of other findings of one kind.
const maxMisplaced = 100

// misplaced looks whether a key that is no chunk's keeps a chunk from being read. In a directory
// one below a chunk's key does, as does one that chunks' keys begin with, since a name there is a
// file or a folder. In a bucket neither does.
func (c *chunks) misplaced(ctx context.Context, part string) error {
	coord, ok := c.inTheWayOf(part)
	if !ok || !c.r.opts.Data {
		return nil
	}
	key := c.a.ChunkKey(coord...)
	if c.asked == nil {
		c.asked = map[string]bool{}
	}
	if c.asked[key] || len(c.asked) == maxMisplaced {
		return nil
	}
	c.asked[key] = true
	return c.r.refused(ctx, key, c.told)
}

// refused reports a key that cannot be read for a reason of its own. An absent one can.
func (r *run) refused(ctx context.Context, key string, told *few) error {
	counted, st := r.begin(ctx)
	_, err := st.Get(counted, key, store.GetOptions{Range: store.Within(0, 1)}, nil)
	switch {
	case err == nil, errors.Is(err, fault.NotFound), errors.Is(err, fault.Corrupt): // or shorter
		return nil
	case fatal(ctx, err):
		return err
	}
	f := rule.FromError("", err)
	f.Key = key
	told.tell(f)
	return nil
}

// inTheWayOf returns a chunk whose key part lies below, or begins.
func (c *chunks) inTheWayOf(part string) (coord []int, ok bool) {
	keys, rank := c.a.Metadata().Keys, len(c.keys.Grid)
	for i, r := range part {
		if r != '/' {
			continue
		}
		if coord, ok = keys.Parse(part[:i], rank); ok && c.keys.In(coord) {
			return coord, true
		}
	}
	for range rank {
		part += "/0"
		if coord, ok = keys.Parse(part+keys.Suffix, rank); ok && c.keys.In(coord) {
			return coord, true
		}
	}
	return nil, false
}
