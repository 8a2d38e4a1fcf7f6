package zarr

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
)

// waiting calls try again as long as it fails with a conflict that leaves nothing visible, for as
// long as the options say.
func (n *node) waiting(ctx context.Context, try func() error) error {
	end := time.Now().Add(n.cfg.wait)
	for {
		err := try()
		left := time.Until(end)
		var half *halfAppended
		if !errors.Is(err, fault.Conflict) || errors.As(err, &half) || left <= 0 {
			return err
		}
		n.docs().Conflict()
		if err := concurrency.Sleep(ctx, min(left, 50*time.Millisecond+rand.N(200*time.Millisecond))); err != nil {
			return err
		}
	}
}

// halfAppended is the error of an append that some arrays of a group have and others not.
type halfAppended struct {
	longer, all int
	err         error
}

func (e *halfAppended) Error() string {
	return fmt.Sprintf("%d of %d arrays are longer, and consolidated metadata as it was; append the same rows with TakeOver to complete it: %v", e.longer, e.all, e.err)
}

func (e *halfAppended) Unwrap() error { return e.err }
