package claimed

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Holder is the part of one process in the work on a plan. It is safe for concurrent use.
type Holder struct {
	Store  store.Store
	Target string // path of the node that the work creates
	Plan   string // ID of the plan
	Stages []Stage
	Node   Node

	vacant bool        // the target was found to have no object, so hold first puts the claim
	saved  []byte      // to put into the claim
	alone  bool        // no other process can see the target: there is no claim, and there are no markers
	marked atomic.Bool // this process has put markers
	enters concurrency.SingleFlight[string, *Claim]

	mu       sync.Mutex
	held     *Claim       // as last read; nil if it must be read
	own      string       // see OwnRun
	complete map[int]bool // complete stages
}

// Stage is the part of the tasks [First, First+N) of a plan. A stage begins when the stages before
// it are complete.
type Stage struct{ First, N int }

// Node is the node that the work creates.
type Node interface {
	// Look checks that no node is at or below the target, and returns fault.Exists otherwise. empty
	// reports whether the target contains no objects except those of the protocol.
	Look(ctx context.Context) (empty bool, err error)
	// Stored and Withdraw are methods of [Documents].
	Stored(ctx context.Context) (bool, error)
	Withdraw(ctx context.Context) error
}

// Dir returns the directory of the plan, its markers and its temporary arrays.
func (h *Holder) Dir() string { return node.Join(Dir(h.Target), h.Plan) }

func (h *Holder) record() Record { return recordOf(h.Store, h.Target) }

// Alone makes the process hold a target that no other process can see, without a stored claim.
func (h *Holder) Alone() { h.alone, h.held = true, newClaim(h.Plan, nil).in(Copying) }

// Enter claims the target for the plan, unless the plan already holds it, and returns the claim.
// The holder caches the claim until know(nil) drops it. Concurrent calls share the requests.
func (h *Holder) Enter(ctx context.Context) (*Claim, error) {
	if c := h.Known(); c != nil {
		return c, nil
	}
	c, _, err := h.enters.Do(ctx, "", func(ctx context.Context) (*Claim, error) {
		if c := h.Known(); c != nil {
			return c, nil
		}
		c, err := h.hold(ctx)
		if err != nil {
			return nil, err
		}
		h.know(c)
		return c, nil
	})
	return c, err
}

// Known returns the claim as last read, or nil.
func (h *Holder) Known() *Claim {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.held
}

// know caches c as the current claim. know(nil) empties the cache, so that the next task reads the
// claim.
func (h *Holder) know(c *Claim) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c == nil || h.held != nil && h.held.Run != c.Run {
		h.complete = nil // those are stages of another run
	}
	h.held = c
}

// hold claims the target, or finds the claim of this plan. If the outcome of a put is unknown, or
// if another process of the plan changes the claim, hold reads the claim again.
//
// hold returns fault.Exists if another plan has claimed the target, or if another node is at or
// below it. It returns fault.Conflict if Clean is removing the work.
func (h *Holder) hold(ctx context.Context) (c *Claim, err error) {
	fresh, unread := newClaim(h.Plan, h.saved), h.vacant // Look finds the documents of complete work
	err = h.record().Retry(func() (err error) {
		c, err = h.attempt(ctx, fresh, unread)
		unread = false
		return err
	})
	return c, err
}

// attempt is an attempt of hold. It returns ErrChanged if the claim must be read again.
func (h *Holder) attempt(ctx context.Context, fresh *Claim, unread bool) (c *Claim, err error) {
	if !unread {
		if c, err = read(ctx, h.record()); err != nil {
			return nil, err
		}
	}
	switch {
	case c == nil:
		if c, err = h.take(ctx, fresh, unread); err != nil {
			return nil, err
		}
	case c.Plan != h.Plan:
		return nil, ErrOtherPlan
	case c.State == Cleaning:
		return nil, fault.Newf(fault.Conflict, "the transfer is being removed and can be started again afterwards")
	}
	switch c.State {
	case Withdrawing: // by a process that was killed, or that is slower
		if err = h.Node.Withdraw(ctx); err == nil {
			err = c.swap(ctx, h.record(), c.in(Copying))
		}
		return nil, cmp.Or(err, ErrChanged)
	case Taken:
		return h.settle(ctx, c, fresh)
	}
	return c, nil
}

// take puts the first claim of a target. If the documents of the plan are stored, it returns a
// claim in the state Unclaimed instead.
func (h *Holder) take(ctx context.Context, c *Claim, unread bool) (*Claim, error) {
	if !unread {
		if is, err := h.Node.Stored(ctx); err != nil || is {
			return &Claim{State: Unclaimed}, err
		}
	}
	err := c.put(ctx, h.record(), store.PutOptions{IfAbsent: true})
	switch {
	case !errors.Is(err, errors.ErrUnsupported):
		c.sole = c.version != ""
		return c, err
	case unread: // an unconditional put must not replace a claim
		return nil, ErrChanged
	}
	err = c.put(ctx, h.record(), store.PutOptions{})
	return nil, cmp.Or(err, ErrChanged) // other processes may have put a claim too
}

// settle checks the target for nodes after a claim was put, because the result of an earlier check
// may be outdated. If it finds no object under a claim that this process has put, the state remains
// Taken until Mark or the last task changes it. Otherwise settle changes the state to Copying.
func (h *Holder) settle(ctx context.Context, c, fresh *Claim) (*Claim, error) {
	empty, err := h.Node.Look(ctx)
	if errors.Is(err, fault.Exists) {
		if now, failed := read(ctx, h.record()); failed == nil && (now == nil || now.Run != c.Run || now.State != Taken) {
			return nil, ErrChanged // another process of the plan was faster
		}
		if c.Run == fresh.Run {
			h.release(ctx, c)
		}
		if is, failed := h.Node.Stored(ctx); failed == nil && is { // completed and cleaned just before
			return &Claim{State: Unclaimed}, nil
		}
	}
	if err != nil {
		return nil, err
	}
	next := c.in(Copying)
	if c.Run != fresh.Run {
		next.Empty = c.Empty || empty // the objects may be those of the first process
	} else if next.Empty = empty; empty && c.sole {
		next = c
	}
	if next != c {
		err = c.swap(ctx, h.record(), next)
	}
	if err == nil && c.Run == fresh.Run {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.own = c.Run
	}
	return next, err
}

// OwnRun returns the Run of a claim that this process has put, if it has not run tasks since. Then
// it needs no listing to find that no task is done: at most another process of the plan has run
// tasks in the meantime, which may run again. Later calls of OwnRun return "".
func (h *Holder) OwnRun() (run string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	run, h.own = h.own, ""
	return run
}

// ErrOtherPlan is the error for a target that belongs to another plan.
var ErrOtherPlan = fault.Newf(fault.Exists, "another transfer to the target was started and is unfinished")

// release deletes a claim under which no task has written. In a store without conditional deletes
// the claim remains until Clean, because another process of the plan may use the claim.
func (h *Holder) release(ctx context.Context, c *Claim) {
	if c.version == "" {
		return
	}
	if h.Store.Delete(ctx, h.record().Key, store.DeleteOptions{IfVersion: c.version}) == nil {
		_ = store.RemoveFolders(ctx, h.Store, Dir(h.Target))
	}
}

// Advance changes the state of claim c, unless another process has changed it since c was read. It
// returns the claim that is stored afterwards.
func (h *Holder) Advance(ctx context.Context, c *Claim, to State) (now *Claim, err error) {
	if h.alone {
		return c.in(to), nil
	}
	err = h.record().Retry(func() (err error) {
		if now != nil {
			if now, err = h.Same(ctx, c); err != nil || now.State == to || !now.State.like(c.State) {
				return err
			}
			c = now
		}
		now = c.in(to)
		return c.swap(ctx, h.record(), now)
	})
	if err != nil {
		return nil, err
	}
	h.know(now)
	return now, nil
}

// Farther decides whether the work can continue after err, the result of a check for other
// nodes at the target. c is the claim at the time of the check. If err is fault.Exists but the
// state of the claim has changed since, another process of the plan has stored the node, so Farther
// returns the new claim and no error. Otherwise Farther returns err.
func (h *Holder) Farther(ctx context.Context, c *Claim, err error) (*Claim, error) {
	if !errors.Is(err, fault.Exists) {
		return c, err
	}
	now, readErr := h.Same(ctx, c)
	if readErr != nil {
		return nil, readErr
	}
	if now.State.like(c.State) {
		return nil, err
	}
	h.know(now)
	return now, nil
}

// Same reads the claim again. It returns fault.Conflict if the claim is gone or belongs to another
// run or turn, or if Clean is removing the work.
func (h *Holder) Same(ctx context.Context, c *Claim) (*Claim, error) {
	now, err := read(ctx, h.record())
	if err != nil && !errors.Is(err, fault.Exists) {
		return nil, err
	}
	if now == nil || now.Run != c.Run || now.Turn != c.Turn || now.State == Cleaning {
		h.know(nil)
		return nil, ErrRemoved
	}
	return now, nil
}

// ErrRemoved is the error of a task whose claim is gone.
var ErrRemoved = fault.Newf(fault.Conflict, "the transfer was removed while the task ran")

// Retreat withdraws the documents of the target because of err, and returns err. The objects of the
// other tasks remain, so that the last task can run again after the other node was removed. If
// another process of the plan has published the target meanwhile, Retreat returns nil: that process
// met no other node.
func (h *Holder) Retreat(ctx context.Context, c *Claim, err error) error {
	ctx, cancel := node.Detached(ctx)
	defer cancel()
	next := c.in(Withdrawing)
	next.Turn++
	var now *Claim
	failed := h.record().Retry(func() (lost error) {
		if now != nil {
			if now, lost = h.Same(ctx, c); lost != nil || now.State != c.State {
				return nil
			}
			c = now
		}
		now = next
		return c.swap(ctx, h.record(), next)
	})
	switch {
	case failed != nil:
		h.know(nil)
		return errors.Join(err, failed)
	case now == nil || now != next && now.State != Published: // another process withdraws
		h.know(nil)
		return err
	case now != next:
		h.know(now)
		return nil
	}
	if failed := h.Node.Withdraw(ctx); failed != nil {
		h.know(nil)
		return errors.Join(err, failed) // the next task withdraws
	}
	free := next.in(Copying)
	if next.swap(ctx, h.record(), free) != nil {
		free = nil
	}
	h.know(free)
	return err
}
