package transfer

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/internal/copying/claimed"
	"github.com/zargo-io/zargo/zarr/fault"
)

// finish stores the target's documents on condition that they are absent. It stores the innermost
// nodes first and the outermost last, so a reader that finds a node finds all nodes below it.
//
// In the states taken and copying, no document of the plan may exist, because it would belong to
// another node. In state publishing, a document with the same bytes was stored by another attempt
// of this task. After the documents it looks for nodes that others have created at the same paths
// meanwhile; see publish.
func (w *Worker) finish(ctx context.Context, c *claimed.Claim) error {
	if err := w.unchanged(ctx); err != nil {
		return err
	}
	if c.State.Open() {
		next, err := w.claim.Farther(ctx, c, w.target.alone(ctx, c.Turn > 0))
		if err == nil && next == c {
			next, err = w.claim.Advance(ctx, c, claimed.Publishing)
		}
		if err != nil {
			return err
		}
		c = next
	}
	if c.State == claimed.Published {
		return nil
	}
	err := w.target.publish(ctx)
	if err == nil {
		c, err = w.claim.Advance(ctx, c, claimed.Published)
	} else if errors.Is(err, fault.Exists) && !w.target.archive {
		err = w.claim.Retreat(ctx, c, err)
	}
	if err == nil && c != nil && c.State != claimed.Published && c.State != claimed.Publishing {
		err = claimed.ErrRemoved
	}
	return err
}
