package claimed

import (
	"context"
	"errors"
	"strings"

	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Save claims the target and stores the plan in the claim or beside it, where [Saved] finds it.
// vacant reports that no object was found at the target.
func (h *Holder) Save(ctx context.Context, plan []byte, vacant bool) error {
	h.vacant, h.saved = vacant, newClaim(h.Plan, plan).Saved // nil if it does not fit
	c, err := h.Enter(ctx)
	if err == nil && c.State == Unclaimed {
		err = fault.Newf(fault.Exists, "a node already exists at the target")
	}
	if err == nil && c.State != Published && c.Saved == nil {
		_, err = h.Store.Put(ctx, node.Join(h.Dir(), planName), plan, store.PutOptions{})
	}
	return err
}

// planName is the name of a saved plan in the plan's directory, if it is not in the claim.
const planName = "plan.json"

// Saved returns the plan of the work whose target is a path in a store. If no work was started,
// Saved removes empty directories, which an interrupted Clean may leave.
//
// Saved returns fault.NotFound if no work was started, or if its plan was not saved. It returns
// fault.Conflict if work on several plans was started and none of them has a claim.
func Saved(ctx context.Context, st store.Store, path string, limit int64) ([]byte, error) {
	b, err := Begun(ctx, st, path)
	if err != nil {
		return nil, err
	}
	if b.Claim != nil { // objects of other plans are remnants
		if b.Claim.Saved != nil {
			return b.Claim.Saved, nil
		}
		b.IDs = []string{b.Claim.Plan}
	}
	switch {
	case len(b.IDs) == 0:
		_ = store.RemoveFolders(ctx, st, Dir(path))
		return nil, fault.Newf(fault.NotFound, "transfer: no transfer was started to the target")
	case len(b.IDs) > 1:
		return nil, fault.Newf(fault.Conflict, "transfer: %d transfers were started to the target", len(b.IDs))
	}
	v, err := st.Get(ctx, node.Join(node.Join(Dir(path), b.IDs[0]), planName), store.GetOptions{Max: limit}, nil)
	return v.Bytes, err
}

// Beside describes the objects below a target that does not contain a node yet.
type Beside struct {
	Claim *Claim
	IDs   []string // IDs of plans with stored values
	Other string   // a key that does not belong to a transfer; may be ""
}

// Besides lists the objects below a target. other is a key that does not belong to a transfer; it
// may be "". some is false if the listing is empty.
func Besides(ctx context.Context, st store.Store, path string) (other string, some bool, err error) {
	for e, err := range store.Pages(ctx, st, path, store.ListOptions{Depth: store.OneLevel}) {
		if err != nil {
			return "", false, err
		}
		if some = true; e.Key != Dir(path) {
			return e.Key, true, nil // one key suffices, and the listing may be long
		}
	}
	return "", some, nil
}

// Begun finds the objects that work has stored below a target.
func Begun(ctx context.Context, st store.Store, path string) (b Beside, err error) {
	if b.Other, _, err = Besides(ctx, st, path); err != nil {
		return Beside{}, err
	}
	for e, err := range store.Pages(ctx, st, Dir(path), store.ListOptions{Depth: store.OneLevel}) {
		if err != nil {
			return Beside{}, err
		}
		if e.Dir {
			b.IDs = append(b.IDs, strings.TrimPrefix(e.Key, Dir(path)+"/"))
		}
	}
	b.Claim, err = read(ctx, recordOf(st, path))
	return b, err
}

// Clean removes the objects that the work stored beside its target. temporary reports that the plan
// has temporary arrays.
//
// Clean deletes in an order that is safe to interrupt. It sets the claim's state to Cleaning before
// it deletes markers and temporary objects, and deletes the claim after them. It deletes the plan
// last, with the claim or after it, because incomplete work can only be continued with the plan.
// After this process has published the target, Clean does not read the claim again. It lists
// nothing if no other process has changed the claim and this process has put no markers.
func (h *Holder) Clean(ctx context.Context, temporary bool) (err error) {
	st, dir, c := h.Store, h.Dir(), h.Known()
	if c == nil || c.State != Published { // a published claim is only deleted
		if c, err = h.closing(ctx); err != nil {
			return err
		}
	}
	saved := node.Join(dir, planName)
	only := c != nil && c.sole && !h.marked.Load() && !temporary // nothing else was stored
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
		rest = Dir(h.Target)
	}
	if err := store.RemoveRemnants(ctx, st, rest); err != nil {
		return err
	}
	if c != nil {
		o := store.DeleteOptions{IfVersion: c.version}
		err = st.Delete(ctx, h.record().Key, o)
		if o.IfVersion != "" && errors.Is(err, errors.ErrUnsupported) {
			err = st.Delete(ctx, h.record().Key, store.DeleteOptions{})
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
	return store.RemoveFolders(ctx, st, Dir(h.Target))
}

// closing changes the plan's claim to a state that forbids writes (Published or Cleaning) and
// returns the claim. It returns nil if the plan lacks a claim.
func (h *Holder) closing(ctx context.Context) (next *Claim, err error) {
	err = h.record().Retry(func() error {
		c, err := read(ctx, h.record())
		if err != nil || c == nil || c.Plan != h.Plan {
			next = nil
			return err
		}
		if next = c; c.State == Published || c.State == Cleaning {
			return nil
		}
		next = c.in(Cleaning)
		return c.swap(ctx, h.record(), next)
	})
	return next, err
}
