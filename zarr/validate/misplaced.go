package validate

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
)

// misplaced checks whether a stray key prevents a chunk from being read, and if so, reports the
// chunk. In a directory, a name is either a file or a directory. A key below a chunk's key
// therefore hides the chunk, and a key that is a parent of chunk keys hides these chunks. In a
// bucket, keys hide nothing.
func (c *chunks) misplaced(ctx context.Context, part string) error {
	coord, ok := c.inTheWayOf(part)
	if !ok || !c.r.opts.Data {
		return nil
	}
	key := c.a.ChunkKey(coord...)
	if c.probed == nil {
		c.probed = map[string]bool{}
	}
	if c.probed[key] || len(c.probed) == maxMisplaced {
		return nil
	}
	c.probed[key] = true
	return c.r.refused(ctx, key, c.findings)
}

// maxMisplaced is the maximum number of chunks of an array that are requested because a stray key
// may hide them. It equals maxPerRule.
const maxMisplaced = 100

// refused reports a key that exists but cannot be read.
func (r *run) refused(ctx context.Context, key string, findings *nodeFindings) error {
	counted, st := r.begin(ctx)
	_, err := st.Get(counted, key, store.GetOptions{Range: store.Within(0, 1)}, nil)
	switch {
	case err == nil, errors.Is(err, fault.NotFound), errors.Is(err, fault.Corrupt): // Corrupt: empty, so shorter than the range
		return nil
	case fatal(ctx, err):
		return err
	}
	f := rule.FromError("", err)
	f.Key = key
	findings.report(f)
	return nil
}

// unread reports an object in a group that cannot be read although the store lists it. Its name may
// be that of a node, so readers of the group fail.
func (r *run) unread(ctx context.Context, key string, findings *nodeFindings) error {
	counted, st := r.begin(ctx)
	_, err := st.Get(counted, join(key, docV3), store.GetOptions{Range: store.Within(0, 1)}, nil)
	if err == nil || errors.Is(err, fault.NotFound) || errors.Is(err, fault.Corrupt) { // a loop
		_, err = st.Get(counted, key, store.GetOptions{Range: store.Within(0, 1)}, nil)
	} else {
		key = join(key, docV3)
	}
	switch {
	case err == nil, errors.Is(err, fault.Corrupt): // another object
		return nil
	case fatal(ctx, err):
		return err
	}
	f := rule.FromError("", err)
	if errors.Is(err, fault.NotFound) { // a link without a target
		f = rule.Finding{Rule: rule.Unreadable, Text: err.Error(), Err: err}
	}
	f.Key = key
	findings.report(f)
	return nil
}

// inTheWayOf returns the position of a chunk that the key part may hide, because part is below the
// chunk's key or is a parent of it.
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
