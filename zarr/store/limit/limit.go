package limit

import (
	"context"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Options configure [New].
type Options struct {
	// InFlight is the maximum number of requests in flight, of reads and writes together. Less than
	// 1 means 1, unless Slots or Bucket is set.
	InFlight int

	// Slots, if not nil, are used instead of InFlight slots. Other stores may share them.
	Slots *concurrency.Slots

	// Bucket, if not nil, has the slots. If InFlight is positive too, the store has InFlight fixed
	// slots of its own, but its requests also wait while Bucket is in a pause that the service
	// requested. The store provides [store.Measured] and a [State]. If the number of requests in
	// flight has grown, it also provides a store.Tuning with the current number.
	Bucket *Bucket
}

// New returns a store that takes a slot for each request to s. Close closes s.
func New(s store.Store, o Options) store.Store {
	var h store.Hooks
	switch b := o.Bucket; {
	case b != nil:
		var place store.Place
		_ = store.As(s, &place)
		if h.Before, h.After = b.adaptive(place.Below); o.InFlight > 0 {
			h.Before, h.After = b.fixed(concurrency.NewSlots(o.InFlight), place.Below)
		}
		h.Provide = func(target any) bool { return b.provide(s, target, o.InFlight) }
	default:
		slots := o.Slots
		if slots == nil {
			slots = concurrency.NewSlots(max(o.InFlight, 1))
		}
		h.Before = func(ctx context.Context, c store.Call) (context.Context, error) {
			_, err := take(ctx, slots, c, nil)
			return ctx, err
		}
		h.After = func(context.Context, store.Call, store.Result) { slots.Release() }
	}
	acquire := h.Before
	h.Before = func(ctx context.Context, c store.Call) (context.Context, error) {
		ctx, err := acquire(ctx, c)
		return ctx, named(s, c, err)
	}
	return store.Around(s, h)
}

type (
	before = func(context.Context, store.Call) (context.Context, error)
	after  = func(context.Context, store.Call, store.Result)
)

// adaptive returns hooks that use the slots of the bucket. below is the prefix of the store in it.
func (b *Bucket) adaptive(below string) (before, after) {
	return func(ctx context.Context, c store.Call) (context.Context, error) {
			return b.side(c.Op).begin(ctx, below, c)
		}, func(ctx context.Context, c store.Call, r store.Result) {
			side := b.side(c.Op).laneOf(ctx)
			if !r.Unsupported {
				side.done(ctx, below, c, r, false)
			}
			side.slots.Release()
		}
}

// fixed returns hooks that use the given slots.
func (b *Bucket) fixed(own *concurrency.Slots, below string) (before, after) {
	return func(ctx context.Context, c store.Call) (context.Context, error) {
			_, err := take(ctx, own, c, nil)
			if err == nil {
				if err = b.side(c.Op).pause(ctx, c, true); err != nil {
					own.Release()
				}
			}
			return ctx, err
		}, func(ctx context.Context, c store.Call, r store.Result) {
			if !r.Unsupported {
				b.side(c.Op).done(ctx, below, c, r, true)
			}
			own.Release()
		}
}

// provide implements the Provide hook with the bucket's measurements.
func (b *Bucket) provide(s store.Store, target any, n int) bool {
	switch t := target.(type) {
	case *store.Measured:
		m, ok := b.Measured()
		if ok {
			*t = m
		}
		return ok
	case *State:
		*t = b.State()
		return true
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

// named adds the operation and the key of the request to its error.
func named(s store.Store, c store.Call, err error) error {
	if err == nil {
		return nil
	}
	return &fault.KeyError{Op: verb(c.Op), Store: store.Name(s), Key: c.Key, Err: err}
}

// take takes a slot for a request and reports whether the request had to wait. For an invalid
// request it does not wait. The function group returns the group of the request if it has to wait.
// It may be nil.
func take(ctx context.Context, slots *concurrency.Slots, c store.Call, group func() any) (waits bool, err error) {
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
	var in any
	if group != nil {
		in = group()
	}
	err = slots.AcquireIn(ctx, in, tryOf(ctx)) // retries first
	waited(ctx, store.WaitSlot, start)
	if err != nil {
		return true, ctx.Err() // not the cause, which may be the failure of another request
	}
	return true, nil
}

// verb returns the name of a request in errors.
func verb(op store.Op) string {
	switch op {
	case store.OpBegin, store.OpPart, store.OpSent, store.OpCommit, store.OpAbort:
		return "put"
	}
	return string(op)
}
