package transfer

import (
	"context"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

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
	return errors.Join(clean(ctx, st, p, nil), st.Close())
}

// Clean does what the function [Clean] does. After [Worker.Run] has published the target, it does
// not read the claim again. It lists nothing if no other process has changed the claim and the
// worker has put no markers.
func (w *Worker) Clean(ctx context.Context) error {
	c := w.known()
	if c != nil && w.marked.Load() {
		c = c.in(c.State)
		c.sole = false
	}
	return clean(ctx, w.dst, w.p, c)
}

// clean deletes in an order that is safe to interrupt. It sets the claim's state to cleaning before
// it deletes markers and temporary objects, and deletes the claim after them. It deletes the plan
// last, with the claim or after it, because an interrupted copy can only be continued with the
// plan. known is the claim as last known, or nil.
func clean(ctx context.Context, st store.Store, p *Plan, known *claim) error {
	if err := cleanUp(ctx, st, p, known); err != nil {
		return fmt.Errorf("transfer: %w", err)
	}
	return nil
}

func cleanUp(ctx context.Context, st store.Store, p *Plan, known *claim) (err error) {
	target, dir := p.Target.Path, p.Dir()
	c := known
	if c == nil || c.State != published { // a published claim is only deleted
		if c, err = closing(ctx, st, p); err != nil {
			return err
		}
	}
	saved := node.Join(dir, planName)
	only := c != nil && c.sole && len(p.Documents.Temporary) == 0 // nothing else was stored
	kept := only && c.Saved == nil
	if !only {
		err = store.DeleteSeq(ctx, st, func(yield func(string, error) bool) {
			for e, err := range store.ListAll(ctx, st, dir, store.ListOptions{}) {
				if e.Key == saved {
					kept = true
				} else if !yield(e.Key, err) {
					return
				}
			}
		})
		if err != nil {
			return err
		}
	}
	// While the plan holds the claim, no other transfer has temporary files below the target's
	// directory.
	rest := dir
	if c != nil {
		rest = node.Join(target, dirName)
	}
	if err := store.RemoveRemnants(ctx, st, rest); err != nil {
		return err
	}
	if c != nil {
		o := store.DeleteOptions{IfVersion: c.version}
		err = st.Delete(ctx, claimKey(target), o)
		if o.IfVersion != "" && errors.Is(err, errors.ErrUnsupported) {
			err = st.Delete(ctx, claimKey(target), store.DeleteOptions{})
		}
		if err != nil && !errors.Is(err, fault.Conflict) && !errors.Is(err, fault.NotFound) { // another Clean deleted it
			return err
		}
	}
	if kept {
		if err := st.Delete(ctx, saved, store.DeleteOptions{}); err != nil {
			return err
		}
	}
	// A put by another process may have created the directories again.
	return store.RemoveFolders(ctx, st, node.Join(target, dirName))
}

// closing changes the plan's claim to a state that forbids writes (published or cleaning) and
// returns the claim. It returns nil if the plan lacks a claim.
func closing(ctx context.Context, st store.Store, p *Plan) (next *claim, err error) {
	id := p.ID()
	err = recordOf(st, p.Target.Path).Retry(func() error {
		c, err := readClaim(ctx, st, p.Target.Path)
		if err != nil || c == nil || c.Plan != id {
			next = nil
			return err
		}
		if next = c; c.State == published || c.State == cleaning {
			return nil
		}
		next = c.in(cleaning)
		return c.swap(ctx, st, p.Target.Path, next)
	})
	return next, err
}
