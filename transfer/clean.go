package transfer

import (
	"context"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Clean removes what a transfer stored beside its target: the plan, markers, temporary arrays and
// the claim. Once the target is complete nothing needs them; before, the transfer begins anew, and
// what it has written below the target stays there. In a directory their folders go too.
//
// No process should run the plan meanwhile. One that does stops with its current task, whose
// objects may still be stored. A Clean that was interrupted is gone on with by another one. A claim
// of another plan is left alone.
func Clean(ctx context.Context, p *Plan, open Opener) error {
	st, err := open(ctx, p.Target.Store)
	if err != nil {
		return err
	}
	if err = clean(ctx, st, p); err != nil {
		err = fmt.Errorf("transfer: %w", err)
	}
	return errors.Join(err, st.Close())
}

// clean removes all in an order in which any part of it leaves a transfer that is safe to go on
// with. The claim says so before the first marker or temporary object goes, and it goes when they
// are gone. The plan is last: it is what an interrupted copy is gone on with.
func clean(ctx context.Context, st store.Store, p *Plan) error {
	target, dir := p.Target.Path, p.Dir()
	c, err := closing(ctx, st, p)
	if err != nil {
		return err
	}
	saved := join(dir, planName)
	kept := false
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
	// As long as the claim is there no other transfer has a temporary file beside it.
	rest := dir
	if c != nil {
		rest = join(target, dirName)
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
		if err != nil && !errors.Is(err, fault.Conflict) { // another Clean was faster
			return err
		}
	}
	if kept {
		if err := st.Delete(ctx, saved, store.DeleteOptions{}); err != nil {
			return err
		}
	}
	// What another process puts meanwhile makes its folders again.
	return store.RemoveFolders(ctx, st, join(target, dirName))
}

// closing is the claim of a plan in a state in which no task writes; nil where the plan has none.
func closing(ctx context.Context, st store.Store, p *Plan) (*claim, error) {
	id := p.ID()
	for range maxTurns {
		c, err := readClaim(ctx, st, p.Target.Path)
		switch {
		case err != nil:
			return nil, err
		case c == nil || c.Plan != id:
			return nil, nil
		case c.State == published, c.State == cleaning:
			return c, nil
		}
		next := c.in(cleaning)
		if err := c.swap(ctx, st, p.Target.Path, next); !errors.Is(err, fault.Conflict) {
			return next, err
		}
	}
	return nil, fault.Newf(fault.Conflict, "others change the claim of the target all the time")
}
