package claimed

import (
	"context"
	"errors"
	"iter"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/written"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Build is work of one stage, whose tasks write the objects of the nodes that Texts describe.
// Readers see the nodes when all tasks are done.
type Build struct {
	Store  store.Store
	Target string            // path of the node
	Texts  map[string]string // its documents, by key
	Plan   string            // ID: work with the same ID writes the same objects
	Tasks  int
	// Task writes the objects of a task to st. It may run any number of times.
	Task     func(ctx context.Context, st store.Store, i int) error
	Parallel int // maximum number of concurrent tasks
	// Unchanged is called before the nodes become visible. An error leaves the work unfinished.
	Unchanged func(ctx context.Context) error
	Done      func(n int) // called with a number of tasks that are done, concurrently; may be nil
}

// Run runs the tasks that are not done yet, publishes the nodes and removes the records of the
// work. Another call with the same plan continues work that ended early. Run returns fault.Exists
// if the target has a node, or if it belongs to another plan.
func (b Build) Run(ctx context.Context) error {
	st := written.Around(b.Store)
	t := &Target{Documents: &Documents{Store: st, Target: b.Target, Texts: b.Texts}}
	h := &Holder{Store: st, Target: b.Target, Plan: b.Plan, Stages: []Stage{{0, b.Tasks}, {b.Tasks, 1}}, Node: t}
	c, err := h.Enter(ctx)
	switch {
	case err != nil:
		return err
	case c.State == Unclaimed:
		return fault.Newf(fault.Exists, "a node exists at the path")
	case c.State.Open():
		if err = b.tasks(ctx, h, c); err == nil {
			c, err = h.Enter(ctx)
		}
	}
	if err == nil && c.State != Published {
		err = b.publish(ctx, h, t, c)
	}
	if err == nil {
		err = h.Clean(ctx, false)
	}
	if errors.Is(err, fault.Conflict) || errors.Is(err, ErrRemoved) {
		// Another process may have published the nodes and removed the records.
		if stored, failed := t.Stored(ctx); failed == nil && stored {
			return nil
		}
	}
	return err
}

func (b Build) tasks(ctx context.Context, h *Holder, c *Claim) error {
	done, err := NewSet(h.Stages[0]), error(nil)
	if c.Run != h.OwnRun() { // a claim that this process has just put has no markers
		done, err = h.Done(ctx, c, 0)
	}
	if err != nil {
		return err
	}
	st := h.Fenced()
	run, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	markers, wait := h.Marking(ctx, c, stop)
	err = concurrency.Each(run, b.Parallel, pending(done, b.Tasks), func(ctx context.Context, i int) error {
		now, err := h.Enter(ctx)
		if err == nil && now.Run != c.Run {
			err = ErrRemoved
		}
		if err == nil && now.State.Open() {
			err = b.Task(ctx, st, i)
		}
		if err != nil {
			return err
		}
		if m := h.Marker(now, 0, i); m != "" {
			markers <- m
		}
		if b.Done != nil {
			b.Done(1)
		}
		return nil
	})
	_, lost := wait(err == nil)
	if err == nil {
		err = lost
	}
	if err == nil {
		h.Complete(0)
	}
	return err
}

// pending yields the tasks that are not done.
func pending(done *Set, n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if !done.Has(i) && !yield(i) {
				return
			}
		}
	}
}

// publish stores the documents of the target.
func (b Build) publish(ctx context.Context, h *Holder, t *Target, c *Claim) error {
	if err := b.Unchanged(ctx); err != nil {
		return err
	}
	if c.State.Open() {
		next, err := h.Farther(ctx, c, t.Alone(ctx, c.Turn > 0))
		if err == nil && next == c {
			next, err = h.Advance(ctx, c, Publishing)
		}
		if err != nil {
			return err
		}
		c = next
	}
	if c.State == Published {
		return nil
	}
	err := t.Publish(ctx)
	if err == nil {
		c, err = h.Advance(ctx, c, Published)
	} else if errors.Is(err, fault.Exists) {
		err = h.Retreat(ctx, c, err)
	}
	if err == nil && c != nil && c.State != Published && c.State != Publishing {
		err = ErrRemoved
	}
	return err
}
