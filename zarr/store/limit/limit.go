package limit

import (
	"context"
	"time"

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
			_, err := take(ctx, slots, c)
			return ctx, named(s, c, err)
		},
		After: func(context.Context, store.Call, store.Result) { slots.Release() },
	})
}

// On makes s take its slots from those of the bucket, whose number follows what the service takes.
// With n above 0 it has n slots of its own instead, for reads and writes together, whose number
// stays; it waits all the same where the service asks the bucket's stores to. [store.Measured] is
// had by store.As, and store.Tuning says how many requests there are by now, where these are more
// than at first. Close closes s.
func On(s store.Store, b *Bucket, n int) store.Store {
	own := concurrency.NewSlots(n)
	slots := func(at *side) *concurrency.Slots {
		if n > 0 {
			return own
		}
		return &at.slots
	}
	return store.Around(s, store.Hooks{
		Before: func(ctx context.Context, c store.Call) (context.Context, error) {
			side := b.side(c.Op)
			waited, err := take(ctx, slots(side), c)
			if waited && n == 0 {
				side.waits.Add(1)
			}
			if err == nil {
				if err = side.pause(ctx, c, n > 0); err != nil {
					slots(side).Release()
					err = ctx.Err()
				}
			}
			return ctx, named(s, c, err)
		},
		After: func(ctx context.Context, c store.Call, r store.Result) {
			side := b.side(c.Op)
			if !r.Unsupported {
				side.done(ctx, c, r, n > 0)
			}
			slots(side).Release()
		},
		Provide: func(target any) bool { return b.provide(s, target, n) },
	})
}

// provide gives what the bucket knows.
func (b *Bucket) provide(s store.Store, target any, n int) bool {
	switch t := target.(type) {
	case *store.Measured:
		m, ok := b.Measured()
		if ok {
			*t = m
		}
		return ok
	case *store.Tuning:
		if n > 0 || !store.As(s, t) {
			return false
		}
		if reads, _ := b.InFlight(); reads > t.Requests {
			t.Requests, t.Why.Requests = reads, "more than at first, as throughput grew with them"
		}
		return true
	}
	return false
}

// named makes an error of a request one that says which it was.
func named(s store.Store, c store.Call, err error) error {
	if err == nil {
		return nil
	}
	return &fault.KeyError{Op: verb(c.Op), Store: store.Name(s), Key: c.Key, Err: err}
}

// take takes a slot for a request, and reports whether it had to wait. The request is looked at
// first: one that is refused anyway does not wait.
func take(ctx context.Context, slots *concurrency.Slots, c store.Call) (waits bool, err error) {
	check := store.CheckKey
	if c.Op == store.OpList {
		check = store.CheckPrefix
	}
	if err := check(c.Key); err != nil {
		return false, err
	}
	if err := c.Range.Check(); err != nil {
		return false, err
	}
	if ctx.Err() == nil && slots.Try() {
		return false, nil
	}
	start := time.Now()
	err = slots.AcquireAhead(ctx, tryOf(ctx)) // what was refused before goes first
	waited(ctx, store.WaitSlot, start)
	if err != nil {
		return true, ctx.Err() // not its cause: that of another request's failure would look like one of this
	}
	return true, nil
}

// verb is how errors name a request.
func verb(op store.Op) string {
	switch op {
	case store.OpBegin, store.OpPart, store.OpSent, store.OpCommit, store.OpAbort:
		return "put"
	}
	return string(op)
}
