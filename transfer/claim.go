package transfer

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"

	"github.com/zargo-io/zargo/internal/copying/claimed"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// claim is the object that records which plan owns a target, and the state of the transfer. The
// first claim is put on condition that the object is absent, so only one plan can claim the target.
// Later claims are put on condition that the object is unchanged since it was read.
type claim struct {
	Format int    `json:"zargo_transfer_claim"` // 2; earlier versions stored 1
	Plan   string `json:"plan"`                 // Plan.ID
	Run    string `json:"run"`                  // random, new for each claim of the plan
	State  state  `json:"state"`

	// Empty means that tasks write with conditions, because the target contained no objects when
	// the first task started: every object below the target was put by a task. It is also set while
	// the target is not yet listed.
	Empty bool `json:"empty,omitempty"`

	// Turn counts how often the documents of the target were withdrawn because another node was
	// created at the same time. A process that began to store documents in an earlier turn must not
	// publish the target.
	Turn int `json:"turn,omitempty"`

	// Saved is the plan, if [Save] has put the claim and both fit in maxSaved. Otherwise the plan
	// is an object.
	Saved json.RawMessage `json:"saved,omitempty"`

	version store.Version
	sole    bool // no other process has changed the claim, so no other has written anything
}

// state is the progress of a transfer. States follow each other in this order.
type state string

const (
	// taken means that only the process that put the claim knows whether the target is free. If it
	// is, the tasks of that process may write. Other processes check the target first.
	taken      state = "taken"
	copying    state = "copying"    // the target was free: tasks may write
	publishing state = "publishing" // all other tasks are done: the last one may store documents
	// withdrawing means that the last task met another node, and its documents are being deleted.
	// The next state is copying.
	withdrawing state = "withdrawing"
	published   state = "published" // all documents are stored: no task writes any more
	cleaning    state = "cleaning"  // Clean is removing an unfinished transfer: no task may start

	// unclaimed is the state of a target that has the plan's documents but no claim. Either the
	// plan's transfer was completed and cleaned, or another node has the same documents. This state
	// is never stored.
	unclaimed state = "unclaimed"
)

// open reports whether tasks may write.
func (s state) open() bool { return s == taken || s == copying }

// like reports whether two states permit the same requests.
func (s state) like(t state) bool { return s == t || s.open() && t.open() }

const (
	claimFormat = 2
	// maxClaim is the maximum size of a claim in bytes. A claim without a plan has about 150 bytes.
	maxClaim = 64 << 10
	// maxSaved is the maximum size of a claim with a plan in bytes. A process transfers the claim
	// about four times, which takes less time than the requests for another object: see
	// requestCost.
	maxSaved = 32 << 10
	// maxTurns is the number of attempts to change a claim that other processes change
	// concurrently. 20 suffices for four transfers that pass through all states.
	maxTurns = 20
)

// claimKey returns the key of the claim of a target.
func claimKey(target string) string { return node.Join(node.Join(target, dirName), "claim") }

// recordOf returns the record that contains the claim of a target.
func recordOf(st store.Store, target string) claimed.Record {
	return claimed.Record{Store: st, Key: claimKey(target), Max: maxClaim, Turns: maxTurns, End: "\n"}
}

// readClaim reads the claim of a target. It returns nil if there is none, and an error that matches
// fault.Exists if the stored value is not a claim that this version can parse.
func readClaim(ctx context.Context, st store.Store, target string) (*claim, error) {
	c := &claim{}
	version, found, err := recordOf(st, target).Read(ctx, c)
	foreign := errors.Is(err, fault.Limit) || errors.Is(err, fault.Metadata)
	switch {
	case !foreign && (err != nil || !found):
		return nil, err
	case foreign || c.Format < 1 || c.Format > claimFormat || c.Plan == "" || c.Run == "":
		return nil, fault.Newf(fault.Exists, "the target has a claim that this program cannot read: %q", claimKey(target))
	}
	c.version = version
	return c, nil
}

// put stores the claim on the condition in o, and sets c.version to the version of the stored
// object.
func (c *claim) put(ctx context.Context, st store.Store, target string, o store.PutOptions) (err error) {
	c.version, err = recordOf(st, target).Put(ctx, c, o)
	return err
}

// newClaim returns a claim of a plan with a new random Run.
func newClaim(plan string) *claim {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return &claim{Format: claimFormat, Plan: plan, Run: hex.EncodeToString(b[:]), State: taken, Empty: true}
}

// save adds the plan to a claim that is not stored yet, if both fit in maxSaved.
func (c *claim) save(p *Plan) {
	full := *c
	full.Saved = p.Encode()
	if b, err := json.Marshal(full); err == nil && len(b) <= maxSaved {
		*c = full
	}
}

// swap replaces the stored claim c by the claim next. It returns claimed.ErrChanged if the stored
// claim is no longer c.
//
// In a store without conditional puts, swap reads the claim and compares it with c before it puts
// next.
func (c *claim) swap(ctx context.Context, st store.Store, target string, next *claim) error {
	var err error
	if c.version != "" {
		err = next.put(ctx, st, target, store.PutOptions{IfVersion: c.version})
	}
	if c.version != "" && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	now, err := readClaim(ctx, st, target)
	if err != nil {
		return err
	}
	if now == nil || now.Run != c.Run || now.Turn != c.Turn || now.State != c.State {
		return claimed.ErrChanged
	}
	next.sole = false
	return next.put(ctx, st, target, store.PutOptions{})
}

// in returns a copy of the claim with state s.
func (c *claim) in(s state) *claim {
	next := *c
	next.State = s
	return &next
}

// enter claims the target for the plan, unless the plan already holds it, and returns the claim.
// The worker caches the claim until know(nil) drops it. Concurrent calls share the requests.
func (w *Worker) enter(ctx context.Context) (*claim, error) {
	if c := w.known(); c != nil {
		return c, nil
	}
	c, _, err := w.enters.Do(ctx, "", func(ctx context.Context) (*claim, error) {
		if c := w.known(); c != nil {
			return c, nil
		}
		c, err := w.hold(ctx)
		if err != nil {
			return nil, err
		}
		w.know(c)
		return c, nil
	})
	return c, err
}

func (w *Worker) known() *claim {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.held
}

// know caches c as the current claim. know(nil) empties the cache, so that the next task reads the
// claim.
func (w *Worker) know(c *claim) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c == nil || w.held != nil && w.held.Run != c.Run {
		w.complete = map[int]bool{} // those are stages of another run
	}
	w.held = c
}

// hold claims the target, or finds the claim of this plan. It checks the target for nodes after the
// claim was put, because the result of an earlier check may be outdated. If it finds no object
// under a claim that it has put, the state remains taken until mark or the last task changes it.
// Otherwise hold changes the state to copying.
//
// If the outcome of a put is unknown, or if another process of the plan changes the claim, hold
// reads the claim again.
//
// hold returns fault.Exists if another plan has claimed the target, or if another node is at or
// below it. It returns fault.Conflict if Clean is removing the transfer.
func (w *Worker) hold(ctx context.Context) (*claim, error) {
	target, fresh := w.p.Target.Path, newClaim(w.id)
	if w.saving {
		fresh.save(w.p)
	}
	for try := range maxTurns {
		var c *claim
		var err error
		unread := try == 0 && w.vacant // look finds the documents of a complete copy
		if !unread {
			c, err = readClaim(ctx, w.dst, target)
		}
		switch {
		case err != nil:
			return nil, err
		case c == nil:
			is := false
			if !unread {
				is, err = w.target.Stored(ctx)
			}
			if err != nil {
				return nil, err
			}
			if is {
				return &claim{State: unclaimed}, nil
			}
			c = fresh
			err := c.put(ctx, w.dst, target, store.PutOptions{IfAbsent: true})
			switch {
			case errors.Is(err, errors.ErrUnsupported) && unread:
				continue // an unconditional put must not replace a claim
			case errors.Is(err, errors.ErrUnsupported):
				if err := c.put(ctx, w.dst, target, store.PutOptions{}); err != nil {
					return nil, err
				}
				continue // read which claim is stored, because other processes may have put one too
			case errors.Is(err, claimed.ErrChanged):
				continue
			case err != nil:
				return nil, err
			}
			c.sole = c.version != ""
		case c.Plan != w.id:
			return nil, otherPlan()
		case c.State == cleaning:
			return nil, fault.Newf(fault.Conflict, "the transfer is being removed and can be started again afterwards")
		}
		if c.State == withdrawing { // by a process that was killed, or that is slower
			if err := w.target.Withdraw(ctx); err != nil {
				return nil, err
			}
			if err := c.swap(ctx, w.dst, target, c.in(copying)); err != nil && !errors.Is(err, fault.Conflict) {
				return nil, err
			}
			continue
		}
		if c.State != taken {
			return c, nil
		}
		empty, err := w.target.look(ctx)
		if errors.Is(err, fault.Exists) {
			if now, err := readClaim(ctx, w.dst, target); err == nil && (now == nil || now.Run != c.Run || now.State != taken) {
				continue // another process of the plan was faster
			}
			if c.Run == fresh.Run {
				w.release(ctx, c)
			}
			if is, err := w.target.Stored(ctx); err == nil && is { // completed and cleaned just before
				return &claim{State: unclaimed}, nil
			}
		}
		if err != nil {
			return nil, err
		}
		next := c.in(copying)
		if c.Run != fresh.Run {
			next.Empty = c.Empty || empty // the objects may be those of the first process
		} else if next.Empty = empty; empty && c.sole {
			next = c
		}
		if next != c {
			err = c.swap(ctx, w.dst, target, next)
		}
		if !errors.Is(err, fault.Conflict) {
			if err == nil && c.Run == fresh.Run {
				w.mu.Lock()
				w.own = c.Run
				w.mu.Unlock()
			}
			return next, err
		}
	}
	return nil, fault.Newf(fault.Conflict, "other processes changed the claim of the target in each of %d attempts", maxTurns)
}

// ownRun returns the Run of a claim that this worker has put, if it has not run tasks since. Then
// it needs no listing to find that no task is done: at most another process of the plan has run
// tasks in the meantime, which may run again. Later calls of ownRun return "".
func (w *Worker) ownRun() (run string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	run, w.own = w.own, ""
	return run
}

// otherPlan returns the error for a target that belongs to another plan.
func otherPlan() error {
	return fault.Newf(fault.Exists, "another transfer to the target was started and is unfinished")
}

// release deletes a claim under which no task has written. In a store without conditional deletes
// the claim remains until Clean, because another process of the plan may use the claim.
func (w *Worker) release(ctx context.Context, c *claim) {
	if c.version == "" {
		return
	}
	if w.dst.Delete(ctx, claimKey(w.p.Target.Path), store.DeleteOptions{IfVersion: c.version}) == nil {
		_ = store.RemoveFolders(ctx, w.dst, node.Join(w.p.Target.Path, dirName))
	}
}

// advance changes the state of claim c, unless another process has changed it since c was read. It
// returns the claim that is stored afterwards.
func (w *Worker) advance(ctx context.Context, c *claim, to state) (now *claim, err error) {
	if w.target.archive {
		return c.in(to), nil
	}
	err = recordOf(w.dst, w.p.Target.Path).Retry(func() (err error) {
		if now != nil {
			if now, err = w.same(ctx, c); err != nil || now.State == to || !now.State.like(c.State) {
				return err
			}
			c = now
		}
		now = c.in(to)
		return c.swap(ctx, w.dst, w.p.Target.Path, now)
	})
	if err != nil {
		return nil, err
	}
	w.know(now)
	return now, nil
}

// farther decides whether the transfer can continue after err, the result of a check for other
// nodes at the target. c is the claim at the time of the check. If err is fault.Exists but the
// state of the claim has changed since, another process of the plan has stored the node, so farther
// returns the new claim and no error. Otherwise farther returns err.
func (w *Worker) farther(ctx context.Context, c *claim, err error) (*claim, error) {
	if !errors.Is(err, fault.Exists) {
		return c, err
	}
	now, readErr := w.same(ctx, c)
	if readErr != nil {
		return nil, readErr
	}
	if now.State.like(c.State) {
		return nil, err
	}
	w.know(now)
	return now, nil
}

// same reads the claim again. It returns fault.Conflict if the claim is gone or belongs to another
// run or turn, or if Clean is removing the transfer.
func (w *Worker) same(ctx context.Context, c *claim) (*claim, error) {
	now, err := readClaim(ctx, w.dst, w.p.Target.Path)
	if err != nil && !errors.Is(err, fault.Exists) {
		return nil, err
	}
	if now == nil || now.Run != c.Run || now.Turn != c.Turn || now.State == cleaning {
		w.know(nil)
		return nil, removed()
	}
	return now, nil
}

// removed returns the error for a task whose claim is gone.
func removed() error {
	return fault.Newf(fault.Conflict, "the transfer was removed while the task ran")
}
