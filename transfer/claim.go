package transfer

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// claim is the value of the one object by which a plan holds its target. It is put on condition
// that it is absent, so of two plans one gets the target. Every later value is put over the version
// that was read.
type claim struct {
	Format int    `json:"zargo_transfer_claim"` // 1
	Plan   string `json:"plan"`                 // Plan.ID
	Run    string `json:"run"`                  // random: a plan that claims again after Clean has another one
	State  state  `json:"state"`

	// Empty: the target held no object when the first task began. Then every object there is one
	// that a task put.
	Empty bool `json:"empty,omitempty"`

	version store.Version
}

// state is how far a transfer is. It only goes forward, in this order.
type state string

const (
	taken      state = "taken"      // no process has looked at the target since the claim was put
	copying    state = "copying"    // nothing was in the way: tasks may write
	publishing state = "publishing" // all other tasks are done, and the last one may store documents
	published  state = "published"  // all documents are stored: no task writes any more
	cleaning   state = "cleaning"   // Clean removes an unfinished transfer: no task may begin

	// unclaimed is not stored. There is no claim, and the documents at the target are those of the
	// plan: its transfer was complete and cleaned, or another node with the same documents is
	// there.
	unclaimed state = "unclaimed"
)

const (
	claimFormat = 1
	// maxClaim is how many bytes of a claim are read. 4096: it has about 150.
	maxClaim = 4096
	// maxTurns is how often a claim that others change meanwhile is read again. 20: each of its
	// states, and four transfers.
	maxTurns = 20
)

// claimKey is the key of the claim of a target.
func claimKey(target string) string { return join(join(target, dirName), "claim") }

// readClaim reads the claim of a target; nil where there is none.
func readClaim(ctx context.Context, st store.Store, target string) (*claim, error) {
	v, err := st.Get(ctx, claimKey(target), store.GetOptions{Max: maxClaim}, nil)
	switch {
	case errors.Is(err, fault.NotFound):
		return nil, nil
	case errors.Is(err, fault.Limit):
		v.Bytes = nil // not a claim of this program
	case err != nil:
		return nil, err
	}
	c := &claim{}
	if json.Unmarshal(v.Bytes, c) != nil || c.Format != claimFormat || c.Plan == "" || c.Run == "" {
		return nil, fault.Newf(fault.Exists, "the target has a claim that this program cannot read: %q", claimKey(target))
	}
	c.version = v.Version
	return c, nil
}

// put stores a claim by a condition, and sets its version.
func (c *claim) put(ctx context.Context, st store.Store, target string, o store.PutOptions) error {
	b, err := json.Marshal(c)
	if err == nil {
		c.version, err = st.Put(ctx, claimKey(target), append(b, '\n'), o)
	}
	return err
}

// newClaim is a claim of a plan that no other claim equals.
func newClaim(plan string) *claim {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return &claim{Format: claimFormat, Plan: plan, Run: hex.EncodeToString(b[:]), State: taken}
}

// swap puts next in the place of c. fault.Conflict: the stored claim is not c any more.
//
// A store without versions has no such condition. There the claim is read once more before it is
// put.
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
	if now == nil || now.Run != c.Run || now.State != c.State {
		return fault.Newf(fault.Conflict, "the claim was changed meanwhile")
	}
	return next.put(ctx, st, target, store.PutOptions{})
}

// in is the claim in another state.
func (c *claim) in(s state) *claim {
	next := *c
	next.State = s
	return &next
}

// enter makes sure that the plan holds its target, and returns the claim. What the worker knows is
// enough until drop.
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

// know sets what is known of the claim; nil is nothing, and the next task reads it.
func (w *Worker) know(c *claim) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c == nil || w.held != nil && w.held.Run != c.Run {
		w.complete = map[int]bool{} // of another run
	}
	w.held = c
}

// hold claims the target, or finds the claim of this plan. What was seen before the claim was put
// is not relied on: the process that makes the claim's state copying has looked at the target after
// that.
//
// The outcome of a put may be unknown, and another process of the plan may be as far. Both show
// when the claim is read again.
func (w *Worker) hold(ctx context.Context) (*claim, error) {
	target, fresh := w.p.Target.Path, newClaim(w.id)
	for range maxTurns {
		c, err := readClaim(ctx, w.dst, target)
		switch {
		case err != nil:
			return nil, err
		case c == nil:
			if is, err := w.stands(ctx); err != nil {
				return nil, err
			} else if is {
				return &claim{State: unclaimed}, nil
			}
			c = fresh
			err := c.put(ctx, w.dst, target, store.PutOptions{IfAbsent: true})
			switch {
			case errors.Is(err, errors.ErrUnsupported):
				if err := c.put(ctx, w.dst, target, store.PutOptions{}); err != nil {
					return nil, err
				}
				continue // who else put one meanwhile is seen
			case errors.Is(err, fault.Exists):
				continue
			case err != nil:
				return nil, err
			}
		case c.Plan != w.id:
			return nil, claimed()
		case c.State == cleaning:
			return nil, fault.Newf(fault.Conflict, "the transfer is being removed; when that is done it can begin anew")
		}
		if c.State != taken {
			return c, nil
		}
		empty, err := w.look(ctx)
		if errors.Is(err, fault.Exists) {
			if now, err := readClaim(ctx, w.dst, target); err == nil && (now == nil || now.Run != c.Run || now.State != taken) {
				continue // another process of the plan was faster
			}
			if c.Run == fresh.Run {
				w.release(ctx, c)
			}
			if is, err := w.stands(ctx); err == nil && is { // completed and cleaned just before the claim was put
				return &claim{State: unclaimed}, nil
			}
		}
		if err != nil {
			return nil, err
		}
		next := c.in(copying)
		next.Empty = empty
		if err := c.swap(ctx, w.dst, target, next); !errors.Is(err, fault.Conflict) {
			return next, err
		}
	}
	return nil, fault.Newf(fault.Conflict, "others change the claim of the target all the time")
}

// claimed is the error of a plan whose target is another one's.
func claimed() error {
	return fault.Newf(fault.Exists, "another transfer to the target was begun: it can be resumed, or what it stored removed")
}

// release gives up a claim with which nothing was written. Where the store does not delete by a
// version the claim stays until Clean: another process of the plan may have found it.
func (w *Worker) release(ctx context.Context, c *claim) {
	if c.version == "" {
		return
	}
	if w.dst.Delete(ctx, claimKey(w.p.Target.Path), store.DeleteOptions{IfVersion: c.version}) == nil {
		_ = store.RemoveFolders(ctx, w.dst, join(w.p.Target.Path, dirName))
	}
}

// advance puts the claim into its next state, unless another process did. It returns the claim that
// is stored then.
func (w *Worker) advance(ctx context.Context, c *claim, to state) (*claim, error) {
	if w.archive {
		return c.in(to), nil
	}
	for range maxTurns {
		next := c.in(to)
		err := c.swap(ctx, w.dst, w.p.Target.Path, next)
		if err == nil {
			w.know(next)
			return next, nil
		}
		if !errors.Is(err, fault.Conflict) {
			return nil, err
		}
		now, err := w.same(ctx, c)
		if err != nil {
			return nil, err
		}
		if now.State != c.State {
			w.know(now)
			return now, nil
		}
		c = now
	}
	return nil, fault.Newf(fault.Conflict, "others change the claim of the target all the time")
}

// farther is for a node that was found where none of the plan's may be as long as its claim is c:
// err says so. Where another process of the plan has come farther meanwhile the node is the plan's,
// and its claim is returned.
func (w *Worker) farther(ctx context.Context, c *claim, err error) (*claim, error) {
	if !errors.Is(err, fault.Exists) {
		return c, err
	}
	now, readErr := w.same(ctx, c)
	if readErr != nil {
		return nil, readErr
	}
	if now.State == c.State {
		return nil, err
	}
	w.know(now)
	return now, nil
}

// same reads the claim again. fault.Conflict: it is not that of the same run any more, or the
// transfer is being removed.
func (w *Worker) same(ctx context.Context, c *claim) (*claim, error) {
	now, err := readClaim(ctx, w.dst, w.p.Target.Path)
	if err != nil && !errors.Is(err, fault.Exists) {
		return nil, err
	}
	if now == nil || now.Run != c.Run || now.State == cleaning {
		w.know(nil)
		return nil, removed()
	}
	return now, nil
}

// removed is the error of a task whose claim is gone.
func removed() error {
	return fault.Newf(fault.Conflict, "the transfer was removed while the task ran")
}
