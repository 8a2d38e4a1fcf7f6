package grow

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/internal/node/array"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Options are the options of one change.
type Options struct {
	At   *int          // the row at which an append must begin, or nil for any row
	Wait time.Duration // how long to wait for the changes of other processes
	Over node.TakeOver // claims of other processes that may be taken over
}

// mayBegin checks whether an append may begin at row from, which must equal o.At. It returns
// fault.Conflict if the array has fewer rows than o.At. If the array has more rows, mayBegin calls
// confirm to check the stored array. It then returns the error of confirm or, if there is none,
// fault.Exists.
func (o Options) mayBegin(from int, confirm func() error) error {
	switch {
	case o.At == nil || *o.At == from:
		return nil
	case *o.At < 0:
		return fault.Newf(fault.Selection, "At must be at least 0, is %d", *o.At)
	case *o.At > from:
		return fault.Newf(fault.Conflict, "the append must begin at row %d, but the array has %d rows", *o.At, from)
	}
	if err := confirm(); err != nil {
		return err
	}
	return fault.Newf(fault.Exists, "the append must begin at row %d, but the array has %d rows", *o.At, from)
}

// errChanged means that a document changed after it was read. The change that depends on the
// document must start again.
var errChanged = fault.Newf(fault.Conflict, "the group was changed concurrently")

// maxRestarts bounds how often a change starts again after errChanged, regardless of Wait. Each
// restart means that another process changed the document.
const maxRestarts = 100

// waiting calls try again as long as try returns a conflict and true for again. After errChanged it
// waits only briefly, at most maxRestarts times. After other conflicts it retries until Wait has
// passed.
func (o Options) waiting(ctx context.Context, n *node.Node, try func() (again bool, err error)) error {
	end := time.Now().Add(o.Wait)
	w := node.Waiting{Until: end, Over: o.Over}
	for tries := 1; ; tries++ {
		again, err := try()
		left := time.Until(end)
		pause := min(left, 50*time.Millisecond+rand.N(200*time.Millisecond))
		switch {
		case !again || !errors.Is(err, fault.Conflict):
			return err
		case errors.Is(err, errChanged) && tries < maxRestarts:
			pause = rand.N(time.Duration(tries) * 2 * time.Millisecond)
		case left <= 0:
			return err
		}
		n.Conflict()
		w.Pause(ctx, err)
		if err := concurrency.Sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// retrying is like [Options.waiting], for a change of one array. It first passes the array a to
// try. Before each further call it reopens the array and passes the reopened array.
func (o Options) retrying(ctx context.Context, a *array.Array, try func(*array.Array) (again bool, err error)) error {
	b := a
	return o.waiting(ctx, a.At, func() (again bool, err error) {
		if b == nil {
			if b, err = a.Refresh(ctx); err != nil {
				return true, err
			}
		}
		again, err = try(b)
		b = nil
		return again, err
	})
}
