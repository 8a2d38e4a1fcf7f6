package validate

import (
	"context"
	"errors"
	"slices"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
)

func (c *chunks) missing(coord []int) {
	c.findings.report(rule.Finding{Rule: rule.MissingChunk, Key: c.a.ChunkKey(coord...)})
	c.reportDamaged(rule.MissingChunk, coord)
}

// damaged is a chunk or shard of an array that is corrupt, or required but missing.
type damaged struct {
	rule  rule.Rule
	path  string // path of the array
	coord []int
	key   string
}

// reportDamaged passes a damaged object to the repair, which may restore it from a copy.
func (c *chunks) reportDamaged(code rule.Rule, coord []int) {
	if c.r.damaged != nil {
		c.r.damaged(damaged{code, c.a.Path(), slices.Clone(coord), c.a.ChunkKey(coord...)})
	}
}

// probe requests the first byte of the chunk at a position and reports the chunk if it is missing.
// It is used for stores that cannot list.
func (c *chunks) probe(ctx context.Context, coord []int) error {
	ctx, st := c.r.begin(ctx)
	_, err := st.Get(ctx, c.a.ChunkKey(coord...), store.GetOptions{Range: store.Within(0, 1)}, nil)
	switch {
	case errors.Is(err, fault.NotFound):
		c.missing(coord)
	case err != nil && fatal(ctx, err):
		return err
	}
	return nil // decoding detects any other error
}

// undefined reports whether elements of missing chunks are undefined, because the fill value is
// null. Missing chunks of v1 arrays are not reported, because v1 documents may omit the fill value.
func (c *chunks) undefined() bool { return c.a.Fill() == nil && c.keys.Format == 2 }

// reportMissing reports the chunks that are required but not stored.
func (c *chunks) reportMissing() {
	if c.present == nil || c.elsewhere.n > 0 && !c.seen {
		return // the chunks are stored under another layout
	}
	left, named := c.present.Missing(), 0
	for coord := range c.present.Absent() {
		if !c.findings.full(rule.MissingChunk) {
			c.missing(coord)
			left--
		} else if c.r.damaged != nil && named < maxProbe {
			c.reportDamaged(rule.MissingChunk, coord)
		} else {
			break
		}
		named++
	}
	c.findings.omit(rule.MissingChunk, left)
}
