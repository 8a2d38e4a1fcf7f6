package validate

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
)

// undefined reports whether elements of chunks that are not stored have no value: the fill value is null. Documents of v1 may lack one.
func (c *chunks) undefined() bool { return c.a.Fill() == nil && c.keys.Format == 2 }

// reportMissing reports the chunks that are not stored and ought to be.
func (c *chunks) reportMissing() {
	if c.present == nil || c.elsewhere.n > 0 && !c.seen {
		return // they are elsewhere
	}
	left := c.present.Missing()
	for coord := range c.present.Absent() {
		c.missing(coord)
		if left--; c.told.full(rule.MissingChunk) {
			break
		}
	}
	c.told.leave(rule.MissingChunk, left)
}

func (c *chunks) missing(coord []int) {
	c.told.tell(rule.Finding{Rule: rule.MissingChunk, Key: c.a.ChunkKey(coord...)})
}

// ask asks for the chunk at a position, where there is no listing that says which are stored.
func (c *chunks) ask(ctx context.Context, coord []int) error {
	_, err := c.r.st.Get(ctx, c.a.ChunkKey(coord...), store.GetOptions{Range: store.Within(0, 1)}, nil)
	switch {
	case errors.Is(err, fault.NotFound):
		c.missing(coord)
	case err != nil && fatal(ctx, err):
		return err
	}
	return nil // anything else is found by decoding it
}
