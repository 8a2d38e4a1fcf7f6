package grow

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Options are those of one change.
type Options struct {
	At   *int              // the row that an append must begin at; nil: any
	Wait time.Duration     // for changes of other processes
	Over document.TakeOver // the claims of others that may be taken over
}

// mayBegin checks At for an append that would begin at a row. confirm is called where the array has
// more rows; it checks that the stored array has them too.
func (o Options) mayBegin(from int, confirm func() error) error {
	switch {
	case o.At == nil || *o.At == from:
		return nil
	case *o.At < 0:
		return fault.Newf(fault.Selection, "no append begins at row %d", *o.At)
	case *o.At > from:
		return fault.Newf(fault.Conflict, "there are %d rows, not %d", from, *o.At)
	}
	if err := confirm(); err != nil {
		return err
	}
	return fault.Newf(fault.Exists, "there are %d rows, not %d", from, *o.At)
}

// errAgain says that a document changed after it was read. What was decided by it does not hold,
// and the change begins again.
var errAgain = fault.Newf(fault.Conflict, "the group changed meanwhile")

// maxAgain bounds how often a change begins again without Wait. Each time another process changed
// the document.
const maxAgain = 100

// waiting calls try again after a conflict: until Wait has passed, after errAgain at once. It ends
// if try reports that it must not be called again.
func (o Options) waiting(ctx context.Context, n *document.Node, try func() (again bool, err error)) error {
	end := time.Now().Add(o.Wait)
	for tries := 1; ; tries++ {
		again, err := try()
		left := time.Until(end)
		pause := min(left, 50*time.Millisecond+rand.N(200*time.Millisecond))
		switch {
		case !again || !errors.Is(err, fault.Conflict):
			return err
		case errors.Is(err, errAgain) && tries < maxAgain:
			pause = rand.N(time.Duration(tries) * 2 * time.Millisecond)
		case left <= 0:
			return err
		}
		n.Conflict()
		if err := concurrency.Sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// retrying is waiting with an array: first as it was opened, then as it is stored by then.
func (o Options) retrying(ctx context.Context, a Array, try func(Array) (again bool, err error)) error {
	b := a
	return o.waiting(ctx, a.Source().At, func() (again bool, err error) {
		if b == nil {
			if b, err = a.Reopen(ctx); err != nil {
				return true, err
			}
		}
		again, err = try(b)
		b = nil
		return again, err
	})
}
