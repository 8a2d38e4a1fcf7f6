package transfer

import (
	"context"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/internal/copying/claimed"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// RunTask runs task i of a plan. Workers of any workflow engine can call it. It stores the objects
// of the task, then a marker. A task may be run any number of times, even concurrently, and stores
// the same objects each time. The tasks of a stage may run in any order. The first task that runs
// claims the target for the plan. Once the target is published, tasks write nothing.
//
// A task compares the metadata of the array that it reads with the plan; the last task compares the
// metadata of all arrays. An array that only became longer is copied with its planned shape. A task
// does not detect chunks that are replaced before it starts or after it ends.
//
// After [Clean] of a complete transfer the target has no record of the plan. A task then writes
// nothing. It compares the values that it would write with the stored ones, and succeeds if they
// are equal.
//
// RunTask returns fault.Conflict if an earlier stage is not complete, if the metadata of a source
// array was changed, if a chunk was replaced while the task read it, or if [Clean] removed the
// transfer while the task ran; the task then does not count as done. It returns fault.Exists if
// another plan has claimed the target, or if another node is at or below it; nothing is written
// then. Other errors are those of the stores and of reading and writing arrays. The task can be
// retried after fault.Throttled, fault.Unavailable or the end of ctx.
func RunTask(ctx context.Context, p *Plan, i int, open Opener, opts ...zarr.Option) error {
	w, err := Open(ctx, p, open, opts...)
	if err != nil {
		return err
	}
	err = w.Task(ctx, i)
	return errors.Join(err, w.Close())
}

// Task runs one task, see [RunTask].
func (w *Worker) Task(ctx context.Context, i int) error {
	if i < 0 || i >= w.tasks {
		return fault.Newf(fault.Selection, "transfer: task must be 0 to %d, is %d", w.tasks-1, i)
	}
	c, err := w.claim.Enter(ctx)
	w.claim.OwnRun() // a later Run must look for the markers
	var marker string
	if err == nil {
		marker, err = w.task(ctx, c, i)
	}
	if err == nil && marker != "" {
		err = w.claim.Mark(ctx, c, marker)
	}
	if err != nil {
		return fmt.Errorf("transfer: task %d: %w", i, err)
	}
	return nil
}

// task runs one task and returns the key of the marker that the caller must put, or "".
func (w *Worker) task(ctx context.Context, c *claimed.Claim, i int) (marker string, err error) {
	t := w.p.Task(i)
	switch last := t.Step.Kind == Finish; {
	case c.State == claimed.Unclaimed:
		return "", w.compare(ctx, t)
	case c.State == claimed.Published, c.State == claimed.Publishing && !last:
		return "", nil // done before
	case last:
		if err := w.claim.Before(ctx, c, t.Stage); err != nil {
			return "", err
		}
		return "", w.finish(ctx, c)
	}
	if err := w.claim.Before(ctx, c, t.Stage); err != nil {
		return "", err
	}
	if now, err := w.claim.Farther(ctx, c, w.free(ctx, t.Step.To)); err != nil || now != c {
		return "", err // in any other state the task was already done
	}
	if t.Step.Kind == Objects {
		if err := w.listedObjects(ctx, t.Step); err != nil {
			return "", err
		}
		return w.claim.Marker(c, t.Stage, i), nil
	}
	if t.Step.From.In == Source {
		from, to, err := w.arrays.both(ctx, t.Step)
		if err == nil {
			err = w.watch.check(ctx, t.Step, from, to)
		}
		if err != nil {
			return "", err
		}
	}
	if t.Step.Kind == Encoded {
		err = w.encoded(ctx, t)
	} else {
		err = w.block(ctx, t)
	}
	if err != nil {
		return "", err
	}
	return w.claim.Marker(c, t.Stage, i), nil
}

// finish stores the target's documents on condition that they are absent. It stores the innermost
// nodes first and the outermost last, so a reader that finds a node finds all nodes below it.
//
// In the states taken and copying, no document of the plan may exist, because it would belong to
// another node. In state publishing, a document with the same bytes was stored by another attempt
// of this task. After the documents it looks for nodes that others have created at the same paths
// meanwhile; see publish.
func (w *Worker) finish(ctx context.Context, c *claimed.Claim) error {
	if err := w.watch.unchanged(ctx, w.arrays); err != nil {
		return err
	}
	if c.State.Open() {
		next, err := w.claim.Farther(ctx, c, w.target.Alone(ctx, c.Turn > 0))
		if err == nil && next == c {
			next, err = w.claim.Advance(ctx, c, claimed.Publishing)
		}
		if err != nil {
			return err
		}
		c = next
	}
	if c.State == claimed.Published {
		return nil
	}
	err := w.target.Publish(ctx)
	if err == nil {
		c, err = w.claim.Advance(ctx, c, claimed.Published)
	} else if errors.Is(err, fault.Exists) && !w.target.Archive {
		err = w.claim.Retreat(ctx, c, err)
	}
	if err == nil && c != nil && c.State != claimed.Published && c.State != claimed.Publishing {
		err = claimed.ErrRemoved
	}
	return err
}

// free checks that no other array was created at the path of an array of the target after the first
// task of the plan started; see [claimed.Target.Free].
func (w *Worker) free(ctx context.Context, a *Array) error {
	if a.In != Target {
		return nil
	}
	return w.target.Free(ctx, a.Path)
}
