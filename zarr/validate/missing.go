package validate

import (
	"context"
	"errors"
	"slices"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
)

// undefined reports whether elements of chunks that are not stored have no value: the fill value is
// null. Documents of v1 may lack one.
func (c *chunks) undefined() bool { return c.a.Fill() == nil && c.keys.Format == 2 }

// reportMissing reports the chunks that are not stored and ought to be.
func (c *chunks) reportMissing() {
	if c.present == nil || c.elsewhere.n > 0 && !c.seen {
		return // they are elsewhere
	}
	left, named := c.present.Missing(), 0
	for coord := range c.present.Absent() {
		if !c.told.full(rule.MissingChunk) {
			c.missing(coord)
			left--
		} else if c.r.damaged != nil && named < maxProbe {
			c.hurt(rule.MissingChunk, coord)
		} else {
			break
		}
		named++
	}
	c.told.leave(rule.MissingChunk, left)
}

func (c *chunks) missing(coord []int) {
	c.told.tell(rule.Finding{Rule: rule.MissingChunk, Key: c.a.ChunkKey(coord...)})
	c.hurt(rule.MissingChunk, coord)
}

// damaged is an object of an array that is corrupt, or missing and ought to be there.
type damaged struct {
	rule  rule.Rule
	path  string // of the array
	coord []int
	key   string
}

// hurt reports an object that a repair may have from another copy.
func (c *chunks) hurt(code rule.Rule, coord []int) {
	if c.r.damaged != nil {
		c.r.damaged(damaged{code, c.a.Path(), slices.Clone(coord), c.a.ChunkKey(coord...)})
	}
}

// ask asks for the chunk at a position, where there is no listing that says which are stored.
func (c *chunks) ask(ctx context.Context, coord []int) error {
	ctx, st := c.r.begin(ctx)
	_, err := st.Get(ctx, c.a.ChunkKey(coord...), store.GetOptions{Range: store.Within(0, 1)}, nil)
	switch {
	case errors.Is(err, fault.NotFound):
		c.missing(coord)
	case err != nil && fatal(ctx, err):
		return err
	}
	return nil // anything else is found by decoding it
}
