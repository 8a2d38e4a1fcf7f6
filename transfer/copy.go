package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Copy copies an array, or a group with all nodes below it, to o.Target.Path in the store target,
// and returns the copy. It makes the plan of [NewPlan], stores it beside the copy, runs it in this
// process, and removes what the run has stored beside the copy. The names of stores in o may be
// empty.
//
//	a, err = transfer.Copy(ctx, a, target, transfer.Options{Target: transfer.Place{Path: "t2m"}, Grid: series})
//
// After an error the copied objects remain, and are not visible to readers. [Saved] returns the
// plan, with which [Run] and [Clean] complete the copy. Errors are those of NewPlan and Run.
func Copy[N zarr.Node](ctx context.Context, source N, target store.Store, o Options) (copied N, err error) {
	n, err := copyNode(ctx, source, target, o)
	if err != nil {
		return copied, err
	}
	copied, ok := n.(N)
	if !ok {
		return copied, fmt.Errorf("transfer: %w", fault.Newf(fault.Conflict, "the copy is %v: another process has replaced it", n))
	}
	return copied, nil
}

func copyNode(ctx context.Context, source zarr.Node, target store.Store, o Options) (zarr.Node, error) {
	var from store.Store
	switch n := source.(type) {
	case *zarr.Array:
		from = n.Store()
	case *zarr.Group:
		from = n.Store()
	}
	other := "target"
	if store.PlaceOf(from) == store.PlaceOf(target) {
		other = "source" // the store copies objects by itself, if it can
	}
	o.Source.Store = cmp.Or(o.Source.Store, "source")
	o.Target.Store = cmp.Or(o.Target.Store, other)
	p, err := NewPlan(ctx, source, target, o)
	if err != nil {
		return nil, err
	}
	open := func(_ context.Context, name string) (store.Store, error) {
		if name == o.Target.Store { // also if both are one store, because from may be read-only
			return target, nil
		}
		return from, nil
	}
	if err := p.copy(ctx, open, RunOptions{Zarr: o.Zarr}); err != nil {
		return nil, err
	}
	n, err := zarr.Open(ctx, target, o.Target.Path, o.Zarr...)
	if err != nil {
		return nil, fmt.Errorf("transfer: %w", err)
	}
	return n, nil
}

// copy runs all tasks of the plan, whose objects beside the copy it removes.
func (p *Plan) copy(ctx context.Context, open Opener, o RunOptions) (err error) {
	w, err := Start(ctx, p, open, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if err := w.Save(ctx); err != nil {
		return err
	}
	if err := w.Run(ctx, o); err != nil {
		return err
	}
	return w.Clean(ctx)
}
