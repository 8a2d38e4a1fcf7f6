package limit

import (
	"context"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// New lets s have n requests in flight; fewer than one is fault.Limit. Close closes s.
func New(s store.Store, n int) (store.Store, error) {
	if n < 1 {
		return nil, fault.Newf(fault.Limit, "%d requests in flight: at least one is needed", n)
	}
	return With(s, concurrency.NewSlots(n)), nil
}

// With makes s take its slots from those that others use too. Close closes s.
func With(s store.Store, slots *concurrency.Slots) store.Store {
	return store.Around(s, store.Hooks{
		Before: func(ctx context.Context, c store.Call) (context.Context, error) {
			if err := take(ctx, slots, c); err != nil {
				return ctx, &fault.KeyError{Op: verb(c.Op), Store: store.Name(s), Key: c.Key, Err: err}
			}
			return ctx, nil
		},
		After: func(context.Context, store.Call, store.Result) { slots.Release() },
	})
}

// take takes a slot for a request. The request is looked at first: one that is refused anyway does not wait.
func take(ctx context.Context, slots *concurrency.Slots, c store.Call) error {
	check := store.CheckKey
	if c.Op == store.OpList {
		check = store.CheckPrefix
	}
	if err := check(c.Key); err != nil {
		return err
	}
	if err := c.Range.Check(); err != nil {
		return err
	}
	if err := slots.Acquire(ctx); err != nil {
		return ctx.Err() // not its cause: that of another request's failure would look like one of this
	}
	return nil
}

// verb is how errors name a request.
func verb(op store.Op) string {
	switch op {
	case store.OpBegin, store.OpPart, store.OpSent, store.OpCommit, store.OpAbort:
		return "put"
	}
	return string(op)
}
