package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/account"
	"github.com/zargo-io/zargo/internal/chunk/written"
	"github.com/zargo-io/zargo/internal/copying/claimed"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Opener opens the store named by [Place].Store, usually a URL, with the credentials of the
// process. The function that called the Opener closes the store.
type Opener func(ctx context.Context, name string) (store.Store, error)

// Worker runs tasks of one plan. [Open] makes a Worker. It is safe for concurrent use.
type Worker struct {
	p        *Plan
	tasks    int
	src, dst store.Store
	out      store.Store // dst with the conditions of claimed.Holder.Fenced, for the writes of tasks
	tmp      store.Store
	claim    *claimed.Holder
	target   *target
	arrays   *arrays
	watch    *watch // detects changes of the source
	opts     []zarr.Option
	one      bool // source and target are one store
	noCopy   atomic.Bool
	memory   *concurrency.Budget // the plan's budget; elements of regions are Blocks
	limits   *concurrency.Limits // for objects in flight; Bytes is a child of memory
	moving   *concurrency.Slots  // for tasks that copy encoded objects
	moved    counter
}

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

// Open checks a plan and opens its stores, in order to run many tasks. The worker opens arrays with
// opts, for example with zarr.Extensions. It reserves memory for tasks in a child of the budget of
// concurrency.Default, which is bounded by the plan's memory. The caller must call [Worker.Close].
func Open(ctx context.Context, p *Plan, open Opener, opts ...zarr.Option) (*Worker, error) {
	return openWith(ctx, p, open, nil, opts)
}

func openWith(ctx context.Context, p *Plan, open Opener, shared *concurrency.Limits, opts []zarr.Option) (*Worker, error) {
	if shared == nil {
		shared = concurrency.Default()
	}
	if shared.CPU == nil || shared.Bytes == nil {
		return nil, fault.Newf(fault.Selection, "transfer: Limits must have CPU and Bytes")
	}
	if err := p.Check(opts...); err != nil {
		return nil, err
	}
	src, err := open(ctx, p.Source.Store)
	if err != nil {
		return nil, fmt.Errorf("transfer: source: %w", err)
	}
	dst := src
	if p.Source.Store != p.Target.Store {
		if dst, err = open(ctx, p.Target.Store); err != nil {
			return nil, errors.Join(fmt.Errorf("transfer: target: %w", err), src.Close())
		}
	}
	w := newWorker(p, account.CountedBy(src, opts), account.CountedBy(dst, opts))
	w.opts = opts
	if w.tmp, err = store.Prefix(w.dst, node.Join(w.claim.Dir(), "tmp")); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	w.memory = shared.Bytes.Child(p.Budget())
	w.limits = &concurrency.Limits{CPU: shared.CPU, Requests: shared.Requests, Bytes: w.memory.Child(objectsShare(p.Budget()))}
	w.watch = newWatch(p, w.src, opts)
	w.arrays = newArrays(p, w.src, w.out, w.tmp, append(slices.Clone(opts), zarr.Limit(zarr.Limits{Shared: w.limits})))
	return w, nil
}

// newWorker returns a worker that can read and write claims and markers. Its memory and arrays,
// which tasks need, are not set.
func newWorker(p *Plan, src, dst store.Store) *Worker {
	w := &Worker{
		p: p, tasks: p.Tasks(), moving: concurrency.NewSlots(moving), one: p.Source.Store == p.Target.Store,
	}
	w.dst = w.moved.around(written.Around(dst))
	w.target = newTarget(p, w.dst)
	w.claim = newHolder(p, w.dst)
	w.claim.Node = w.target
	w.out = w.claim.Fenced()
	if w.src = w.dst; !w.one {
		w.src = w.moved.around(src)
	}
	return w
}

// newHolder returns the holder of the claim of a plan. Its Node, which the first task needs, is not
// set.
func newHolder(p *Plan, st store.Store) *claimed.Holder {
	h := &claimed.Holder{Store: st, Target: p.Target.Path, Plan: p.ID()}
	for k := range p.Stages {
		first, n := p.TasksOf(k)
		h.Stages = append(h.Stages, claimed.Stage{First: first, N: n})
	}
	return h
}

// Close closes the stores.
func (w *Worker) Close() error {
	if w.one {
		return w.dst.Close()
	}
	return errors.Join(w.src.Close(), w.dst.Close())
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
	if now, err := w.claim.Farther(ctx, c, w.target.free(ctx, t.Step.To)); err != nil || now != c {
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

// block copies the region of a task by decoding and encoding it.
func (w *Worker) block(ctx context.Context, t Task) error {
	from, to, err := w.arrays.both(ctx, t.Step)
	if err != nil {
		return err
	}
	if t.Step.Inner != nil {
		return w.fill(ctx, t, from, to)
	}
	src, dst, n := regions(t, to)
	block, err := w.memory.Acquire(ctx, concurrency.Block, needOf(t.Step, from, to).block)
	if err != nil {
		return err
	}
	defer block.Release()
	if to.DType().Size() == 0 {
		items, err := from.ReadItems(ctx, src...)
		if err != nil {
			return err
		}
		return to.WriteItems(ctx, items, dst...)
	}
	buf := region(block, blockBytes(to, t.Step.Block), product(int64(itemSize(to)), n...))
	if err := from.ReadBytes(ctx, buf, src...); err != nil {
		return err
	}
	return to.WriteBytes(ctx, buf, dst...)
}

// regions returns the selections of a task in both arrays, and their shape.
func regions(t Task, to *zarr.Array) (src, dst []zarr.Selection, n []int) {
	objects := walk.Box{At: t.Lo, Shape: make([]int, len(t.Lo))}
	for d, hi := range t.Hi {
		objects.Shape[d] = hi - t.Lo[d]
	}
	b := walk.Covered(to, objects)
	return selections(source(t.Step.Start, b)), selections(b), b.Shape
}

// region returns a buffer of n bytes from a hold. most is the size of the largest region. The
// buffer has at least this capacity, so that smaller regions at the end of an array can reuse it.
func region(h *concurrency.Hold, most, n int64) []byte { return h.Buffer(int(max(most, n)))[:n] }
