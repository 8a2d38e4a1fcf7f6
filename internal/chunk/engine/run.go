package engine

import (
	"context"
	"iter"
	"math"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/account"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/internal/chunk/plan"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// maxPlanned bounds the bytes of plans and indexes of the shards in flight in a call.
const maxPlanned = 32 << 20

// Plan returns the plan of a read or, if w is not nil, of a write.
func (a *Array) Plan(sel grid.Selection, w *plan.WriteOptions) *plan.Plan {
	p := &plan.Plan{}
	a.plan(p, sel, w, store.TuningOf(a.Store))
	if a.keepsRead(p) {
		p.Keep, p.Ranged = a, true
	}
	return p
}

// plan sets p to the plan of a call. It determines the cost of requests only once.
func (a *Array) plan(p *plan.Plan, sel grid.Selection, w *plan.WriteOptions, t store.Tuning) {
	if p.Layout, p.Select, p.Write = a.Layout, sel, w; w != nil {
		w.Memory, w.NoParts, w.NoRanges = a.sizes(t), a.State.noParts.Load(), a.State.noRanges.Load()
	}
	objects := min(p.Len(), t.Requests)
	p.Cost = plan.CostOf(t, store.Measured{}, objects)
	switch {
	case a.within != nil:
		p.Measured = a.within.plan.Measured
	case p.Cost.Weighs():
		store.As(a.Store, &p.Measured)
	}
	if p.Measured != (store.Measured{}) {
		p.Gaps = plan.CostOf(t, p.Measured, objects)
	}
}

// Begin starts a call that reads sel by several calls of Read. These must use the returned context,
// and the returned array or copies of it. They share the counters, limits and slots of one call.
func (a *Array) Begin(ctx context.Context, sel grid.Selection) (context.Context, *Array, error) {
	ctx, r, err := a.begin(ctx, pipeline.Memory{Shape: sel.Shape()}, sel, nil)
	if err != nil {
		return ctx, nil, err
	}
	within := *a
	within.within = r
	return ctx, &within, nil
}

// begin starts a call. If the plan exceeds a limit, it returns an error before any request is sent.
func (a *Array) begin(ctx context.Context, m pipeline.Memory, sel grid.Selection, w *plan.WriteOptions) (context.Context, *Call, error) {
	ctx, r, err := a.open(ctx, m, sel, w)
	if err == nil {
		err = r.fits()
	}
	return ctx, r, err
}

// open makes a Call without checking the plan against the limits.
func (a *Array) open(ctx context.Context, m pipeline.Memory, sel grid.Selection, w *plan.WriteOptions) (context.Context, *Call, error) {
	t := store.TuningOf(a.Store)
	r := &Call{Array: a, sizes: a.sizes(t), memory: m}
	r.sizes.Used = m.Use != nil
	a.plan(&r.plan, sel, w, t)
	if w != nil && !r.mayMerge() {
		return ctx, nil, store.NoVersions(a.Store, refused)
	}
	if a.Layout.Pipe.Even() {
		if _, err := a.Layout.Pipe.For(nil); err != nil {
			return ctx, nil, err
		}
	}
	r.total = r.plan.Len()
	whole := &r.plan // plan of the outermost call
	if a.within != nil {
		whole = &a.within.plan
	}
	r.keeps = r.keepsRead(whole)
	switch {
	case m.Discards(): // Check decodes whole chunks
		r.plan.Keep = all{}
	case r.keeps:
		r.plan.Keep = a
	}
	if w := a.within; w != nil {
		r.store, r.account, r.trace, r.slots = w.store, w.account, w.trace, w.slots
		r.objects, r.planned = max(min(w.objects, r.total), 1), w.planned
		return ctx, r, nil
	}
	ctx, r.store, r.account = account.Begin(ctx, a.Store, a.Options.Account)
	r.trace = store.TraceOf(ctx)
	switch n := a.Options.InFlight; {
	case n != 0:
		r.own.Open(nil, n, 0, r.trace)
	case w == nil && r.plan.Cost.Weighs(): // to follow a local store would take longer
		r.own.Open(a.Store, t.Requests, a.Options.Limits.CPU.Slots(), r.trace)
	default:
		r.own.Open(nil, t.Requests, a.Options.Limits.CPU.Slots(), r.trace)
	}
	r.slots, r.objects = &r.own, min(r.own.Size(), r.total)
	if s := a.Layout.Pipe.Largest().Shards; s != nil {
		r.objects = min(r.objects, maxPlanned/plan.PieceBytes/s.Len())
	}
	r.objects = max(r.objects, 1)
	r.planned = maxPlanned / r.objects
	return ctx, r, nil
}

// all is a cache filter that accepts every chunk.
type all struct{}

func (all) Keeps(*pipeline.Chunk) bool { return true }

// fits returns an error if the plan needs more requests than the call may send. The minimum is one
// request for each object, and another one to write an object that is partly kept.
func (r *Call) fits() error {
	if err := r.account.Fits(r.total); err != nil || r.plan.Write == nil || r.Options.Account.MaxRequests == 0 {
		return err
	}
	return r.account.Fits(int(min(r.plan.Amount().Requests.Least, math.MaxInt)))
}

// each calls do for the objects of the plan, several concurrently. op is the operation in errors.
func (r *Call) each(ctx context.Context, op string, do func(context.Context, *plan.Object) error) error {
	return concurrency.Each(ctx, r.objects, r.plan.Objects(), func(ctx context.Context, o *plan.Object) error {
		return r.one(ctx, op, o, do)
	})
}

// one calls do for an object.
func (r *Call) one(ctx context.Context, op string, o *plan.Object, do func(context.Context, *plan.Object) error) error {
	err := o.Err
	if err == nil {
		err = do(ctx, o)
	}
	if err != nil {
		return r.failed(op, o, err)
	}
	return nil
}

// mayMerge reports whether the store supports the partial writes of the plan. Without this check,
// some objects could be written before a partial write fails.
func (r *Call) mayMerge() bool {
	if c := r.plan.Write.Conditions; r.Options.SingleWriter || c.IfAbsent && c.IfVersion {
		return true
	}
	for o := range r.plan.Objects() {
		if !o.Covers {
			return false
		}
	}
	return true
}

// refused describes the operation that a store without versions does not support.
const refused = "part of a chunk cannot be written"

// batches splits a sequence into slices of at most n elements.
func batches[T any](all iter.Seq[T], n int) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		var some []T
		for v := range all {
			if some = append(some, v); len(some) == n {
				if !yield(some) {
					return
				}
				some = nil
			}
		}
		if len(some) > 0 {
			yield(some)
		}
	}
}

// failed returns err with the operation and the object.
func (r *Call) failed(op string, o *plan.Object, err error) error {
	return &fault.ChunkError{Op: op, Path: r.Path, Key: o.Key, Coord: r.Layout.Pipe.Stored(o.Coord), Err: err}
}
