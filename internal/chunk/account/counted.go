package account

import (
	"context"
	"slices"

	"github.com/zargo-io/zargo/zarr/store"
)

// Counted returns s with all its requests, and their events, counted in r. [Begin] does not count
// requests to such a store in r a second time. If r is nil, or if s is counted in r already,
// Counted returns s.
func Counted(s store.Store, r *Report) store.Store {
	if r == nil || isCounted(s, r) {
		return s
	}
	return store.Around(s, store.Hooks{
		Before: func(ctx context.Context, _ store.Call) (context.Context, error) { return r.heard(ctx), nil },
		After: func(_ context.Context, c store.Call, is store.Result) {
			if !is.Unsupported {
				r.asked(c.Op, is.Bytes)
			}
		},
		Provide: func(target any) bool {
			t, ok := target.(*Report)
			return ok && t.Counts == r.Counts
		},
	})
}

// isCounted reports whether all requests to s are counted in r. A store that counts requests
// answers [store.As] for a *Report with the same Counts.
func isCounted(s store.Store, r *Report) bool { return store.As(s, r) }

// heard returns ctx with a trace that adds events to r. A context that has the trace is returned
// unchanged, so that each event is counted once.
func (r *Report) heard(ctx context.Context) context.Context {
	if ctx.Value(listenerKey{r.Counts}) != nil {
		return ctx
	}
	return store.WithTrace(context.WithValue(ctx, listenerKey{r.Counts}, true), r.listener())
}

// counter is an option that may count the requests to a store.
type counter interface {
	Count(s store.Store) (store.Store, bool)
}

// CountedBy returns s, counted as the last of the options demands that demands anything.
func CountedBy[O counter](s store.Store, opts []O) store.Store {
	for _, o := range slices.Backward(opts) {
		if c, ok := o.Count(s); ok {
			return c
		}
	}
	return s
}

// Uncounted returns s, whose requests no Report counts. It is for stores that a call keeps in
// memory for itself.
func Uncounted(s store.Store) store.Store { return store.Around(s, store.Hooks{Provide: Own}) }

// Own is the Provide of a store whose requests no Report counts.
func Own(target any) bool {
	_, ok := target.(*Report)
	return ok
}
