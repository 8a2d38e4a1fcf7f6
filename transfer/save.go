package transfer

import (
	"context"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/internal/copying/claimed"
	"github.com/zargo-io/zargo/zarr/store"
)

// Save claims the target of a plan and stores the plan in the claim or beside it, where [Saved]
// finds it. It returns fault.Exists if another plan has claimed the target, or if another node is
// at or below it.
func Save(ctx context.Context, target store.Store, p *Plan) error {
	w := newWorker(p, target, target)
	if err := w.Save(ctx); err != nil {
		return err
	}
	if c := w.claim.Known(); c.State == claimed.Taken { // other processes need not list the target again
		if _, err := w.claim.Advance(ctx, c, claimed.Copying); err != nil {
			return fmt.Errorf("transfer: %w", err)
		}
	}
	return nil
}

// Save does what the function [Save] does. [Worker.Run] then does not read the claim again. If
// [NewPlan] has returned the plan and it reads one array, Run compares the metadata of the array
// only before it publishes the target, and after an error.
func (w *Worker) Save(ctx context.Context) error {
	if w.watch != nil {
		w.watch.late = w.p.vacant && len(w.p.reads()) == 1
	}
	if err := w.claim.Save(ctx, w.p.Encode(), w.p.vacant); err != nil {
		return fmt.Errorf("transfer: %w", err)
	}
	return nil
}

// Saved returns the plan of the transfer whose target is a path in a store. If no transfer was
// started, Saved removes empty directories, which an interrupted Clean may leave.
//
// Saved returns fault.NotFound if no transfer was started, or if its plan was not saved. It returns
// fault.Conflict if several transfers were started and none of them has a claim.
func Saved(ctx context.Context, target store.Store, path string) (*Plan, error) {
	b, err := claimed.Saved(ctx, target, path, maxPlan)
	if err != nil {
		return nil, err
	}
	return Decode(b)
}

// Dir returns the path of the directory that contains the plan, its markers and its temporary
// arrays: "<target>/__zargo_transfer/<ID>", below the root of the target's store.
func (p *Plan) Dir() string { return newHolder(p, nil).Dir() }

// Clean removes the objects that a transfer stored beside its target: the plan, markers, temporary
// arrays and the claim. In a file system it also removes the directories of these objects. A
// complete copy does not need the objects. If the copy is incomplete, the next run starts from the
// first task; objects that were written to the target remain.
//
// No process should run the plan during Clean. A process that does so fails with fault.Conflict
// after its current task, and objects of that task may remain. An interrupted Clean can be
// repeated. Clean does not remove the claim of another plan.
func Clean(ctx context.Context, p *Plan, open Opener) error {
	st, err := open(ctx, p.Target.Store)
	if err != nil {
		return err
	}
	return errors.Join(clean(ctx, p, newHolder(p, st)), st.Close())
}

// Clean does what the function [Clean] does. After [Worker.Run] has published the target, it does
// not read the claim again. It lists nothing if no other process has changed the claim and the
// worker has put no markers.
func (w *Worker) Clean(ctx context.Context) error {
	return clean(ctx, w.p, w.claim)
}

func clean(ctx context.Context, p *Plan, h *claimed.Holder) error {
	if err := h.Clean(ctx, len(p.Documents.Temporary) > 0); err != nil {
		return fmt.Errorf("transfer: %w", err)
	}
	return nil
}
