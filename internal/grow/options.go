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

// waiting calls try until it does not fail with a conflict, reports that it must not be called
// again, or Wait has passed.
func (o Options) waiting(ctx context.Context, n *document.Node, try func() (again bool, err error)) error {
	end := time.Now().Add(o.Wait)
	for {
		again, err := try()
		left := time.Until(end)
		if !again || !errors.Is(err, fault.Conflict) || left <= 0 {
			return err
		}
		n.Conflict()
		if err := concurrency.Sleep(ctx, min(left, 50*time.Millisecond+rand.N(200*time.Millisecond))); err != nil {
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
