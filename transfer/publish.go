package transfer

import (
	"context"
	"errors"
	"path"

	"github.com/zargo-io/zargo/internal/chunk/written"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr/fault"
)

// publish stores the documents of the plan. As zarr.Create, it creates the groups above the target
// first, and looks for documents of nodes of other formats and kinds at the same paths afterwards.
// Of several creators of a path at most one succeeds. publish returns fault.Exists if the target
// must be withdrawn.
func (t *target) publish(ctx context.Context) error {
	hold, err := t.groupsAbove(ctx)
	if err != nil {
		return err
	}
	var founding []string
	for _, key := range t.Ordered() {
		if founds := node.Founds(path.Base(key)); founds && !t.archive {
			if node.IsAbove(node.PathOf(key), t.Target) {
				continue // groupsAbove has created it
			}
			founding = append(founding, key)
		}
		if err := t.Put(ctx, key); err != nil {
			return err
		}
	}
	err = t.Each(ctx, founding, func(ctx context.Context, key string) error {
		return t.node(node.PathOf(key)).Met(ctx, path.Base(key))
	})
	if err != nil {
		return err
	}
	return hold(ctx)
}

func (t *target) node(at string) *node.Node {
	return &node.Node{Store: written.Around(t.Store), Path: at, Cfg: node.Options{MaxMetadata: maxDocument}}
}

// groupsAbove creates the plan's groups above the target, which may not be arrays. The caller calls
// hold after it has stored the documents of the target; see [node.Node.Groups].
func (t *target) groupsAbove(ctx context.Context) (hold func(context.Context) error, err error) {
	var keys, paths []string
	format := 3
	for _, key := range t.Ordered() {
		if name := path.Base(key); node.Founds(name) && node.IsAbove(node.PathOf(key), t.Target) && !t.archive {
			keys, paths = append(keys, key), append(paths, node.PathOf(key))
			if name == node.ZGroup {
				format = 2
			}
		}
	}
	hold, err = t.node("").Groups(ctx, paths, format)
	if errors.Is(err, errors.ErrUnsupported) { // the store has no conditional puts
		return func(context.Context) error { return nil }, t.Each(ctx, keys, func(ctx context.Context, key string) error {
			return t.Put(ctx, key)
		})
	}
	return hold, err
}

// retreat withdraws the documents of the target because of err, and returns err. The objects of the
// other tasks remain, so that the last task can run again after the other node was removed. If
// another process of the plan has published the target meanwhile, retreat returns nil: that process
// met no other node.
func (w *Worker) retreat(ctx context.Context, c *claim, err error) error {
	ctx, cancel := node.Detached(ctx)
	defer cancel()
	next := c.in(withdrawing)
	next.Turn++
	for try := 1; ; try++ {
		swapped := c.swap(ctx, w.dst, w.p.Target.Path, next)
		if swapped == nil {
			break
		}
		if !errors.Is(swapped, fault.Conflict) || try == maxTurns {
			w.know(nil)
			return errors.Join(err, swapped)
		}
		now, same := w.same(ctx, c)
		switch {
		case same == nil && now.State == published:
			w.know(now)
			return nil
		case same != nil || now.State != c.State:
			w.know(nil)
			return err // another process withdraws
		}
		c = now
	}
	if failed := w.target.Withdraw(ctx); failed != nil {
		w.know(nil)
		return errors.Join(err, failed) // the next task withdraws
	}
	free := next.in(copying)
	if failed := next.swap(ctx, w.dst, w.p.Target.Path, free); failed != nil {
		w.know(nil)
		return err
	}
	w.know(free)
	return err
}
