package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/copying/claimed"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Run runs the tasks of a plan that are not done yet, stage after stage, until all are done or one
// fails. Another call of Run continues a run that ended early.
//
// Run returns fault.Exists if another plan has claimed the target, or if another node is at or
// below it; nothing is written then. It returns fault.Selection if Index, Count or Stage do not fit
// the plan. Other errors are those of [RunTask].
func Run(ctx context.Context, p *Plan, open Opener, o RunOptions) error {
	if err := o.check(p); err != nil {
		return err
	}
	w, err := Start(ctx, p, open, o)
	if err != nil {
		return err
	}
	return errors.Join(w.Run(ctx, o), w.Close())
}

// Start is like [Open] with the Limits and the options Zarr of o. The caller passes o to
// [Worker.Run]. A process that saves, runs and cleans a plan with one Worker sends fewer requests
// than with the functions of the same names.
func Start(ctx context.Context, p *Plan, open Opener, o RunOptions) (*Worker, error) {
	return openWith(ctx, p, open, o.Limits, o.Zarr)
}

// Run does what the function [Run] does, in the stores of the Worker. It ignores Limits and Zarr;
// see [Start].
func (w *Worker) Run(ctx context.Context, o RunOptions) error {
	if err := o.check(w.p); err != nil {
		return err
	}
	if o.Parallel < 1 {
		o.Parallel = max(4, 2*runtime.GOMAXPROCS(0))
	}
	r, last := &running{w: w, o: o, begun: time.Now(), before: w.moved.amount()}, len(w.p.Stages)-1
	for k := range last {
		if o.Stage == 0 || o.Stage == k+1 {
			lo, hi := r.share(k)
			r.total += hi - lo
		}
	}
	c, err := w.claim.Enter(ctx)
	if err == nil && c.State == claimed.Unclaimed {
		err = r.compare(ctx)
	}
	if err != nil {
		return fmt.Errorf("transfer: %w", err)
	}
	if c.State == claimed.Published || c.State == claimed.Unclaimed {
		r.progress(cmp.Or(o.Stage, last)-1, r.total, r.total)
		return nil
	}
	for k := range last {
		if o.Stage != 0 && o.Stage != k+1 {
			continue
		}
		if k > 0 && o.Stage == 0 && o.Count > 1 {
			if err := r.await(ctx, c, k); err != nil {
				return fmt.Errorf("transfer: %w", err)
			}
		}
		if err := r.stage(ctx, c, k); err != nil {
			return err
		}
	}
	if o.Stage != 0 && o.Stage < last {
		return nil
	}
	if err = w.Task(ctx, w.tasks-1); len(r.owed) > 0 && err != nil && !errors.Is(err, fault.Conflict) {
		_ = w.claim.Mark(ctx, c, r.owed...) // another run continues after these tasks
	}
	if o.Count > 1 && errors.As(err, new(claimed.NotYet)) {
		return nil // another process still runs tasks
	}
	return err
}

// between is the time between two looks at the tasks of other processes. Each look is a listing of
// the markers of a stage.
const between = time.Second

// await waits until all stages before stage k are complete, at most RunOptions.Wait.
func (r *running) await(ctx context.Context, c *claimed.Claim, k int) error {
	end := time.Now().Add(r.o.Wait)
	for w := (node.Waiting{Until: end}); ; {
		err := r.w.claim.Before(ctx, c, k)
		late := claimed.NotYet("")
		if !errors.As(err, &late) {
			return err
		}
		left := time.Until(end)
		if left <= 0 {
			return fault.Newf(fault.Unavailable, "%s: run this process again when the other processes have done them", late)
		}
		w.Pause(ctx, late)
		if err := concurrency.Sleep(ctx, min(left, between)); err != nil {
			return err
		}
	}
}

func (r *running) stage(ctx context.Context, c *claimed.Claim, k int) error {
	lo, hi := r.share(k)
	if lo == hi {
		return nil
	}
	first, n := r.w.p.TasksOf(k)
	done, err := claimed.NewSet(claimed.Stage{First: first, N: n}), error(nil)
	// A claim that this worker has just put has no markers.
	if k > 0 || c.Run != r.w.claim.OwnRun() {
		done, err = r.w.claim.Done(ctx, c, k)
	}
	if err != nil {
		return fmt.Errorf("transfer: %w", err)
	}
	if err := r.w.claim.Before(ctx, c, k); err != nil {
		return fmt.Errorf("transfer: %w", err)
	}
	if n > 0 {
		if err := r.w.expect(ctx, k, float64(hi-lo-done.Between(lo, hi))/float64(n)); err != nil {
			return fmt.Errorf("transfer: %w", err)
		}
	}
	if r.o.Rehearse {
		return r.rehearse(ctx, c, k, done, lo, hi)
	}
	run, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	markers, wait := r.w.claim.Marking(ctx, c, stop)
	err = concurrency.Each(run, r.o.Parallel, r.pending(k, done, lo, hi), func(ctx context.Context, i int) error {
		var marker string
		now, err := r.w.claim.Enter(ctx)
		if err == nil && now.Run != c.Run {
			err = claimed.ErrRemoved
		}
		if err == nil {
			marker, err = r.w.task(ctx, now, i)
		}
		if err != nil {
			return fmt.Errorf("transfer: task %d: %w", i, err)
		}
		if marker != "" {
			markers <- marker
		}
		r.progress(k, 1, 0)
		return nil
	})
	if err != nil && r.w.watch.late && ctx.Err() == nil {
		if cause := r.w.watch.unchanged(ctx, r.w.arrays); errors.Is(cause, fault.Conflict) {
			err = fmt.Errorf("transfer: %w", cause)
		}
	}
	whole := err == nil && lo == first && hi == first+n
	owed, lost := wait(whole && r.o.Stage == 0 && k == len(r.w.p.Stages)-2) // the last task follows
	if lost != nil && ctx.Err() == nil {
		err = fmt.Errorf("transfer: %w", lost)
	}
	if r.owed = owed; whole && err == nil {
		r.w.claim.Complete(k)
	}
	return err
}

// rehearse is stage for RunOptions.Rehearse.
func (r *running) rehearse(ctx context.Context, c *claimed.Claim, k int, done *claimed.Set, lo, hi int) error {
	first, n := r.w.p.TasksOf(k)
	if lo == first && hi == first+n {
		r.w.claim.Complete(k)
	}
	for i := range r.w.p.Stages[k].Steps {
		s := &r.w.p.Stages[k].Steps[i]
		from, end := max(first, lo), min(first+s.tasks(), hi)
		first += s.tasks()
		skipped := done.Between(from, end)
		if skipped > 0 {
			r.progress(k, skipped, skipped)
		}
		if from >= end || skipped == end-from {
			continue
		}
		if _, err := r.w.claim.Farther(ctx, c, r.w.free(ctx, s.To)); err != nil {
			return fmt.Errorf("transfer: %w", err)
		}
		var err error
		if s.Kind == Objects {
			err = r.w.watch.sameDocuments(ctx, s.From.Path)
		} else if s.From.In == Source {
			var from, to *zarr.Array
			if from, to, err = r.w.arrays.both(ctx, s); err == nil {
				err = r.w.watch.check(ctx, s, from, to)
			}
		}
		if err != nil {
			return fmt.Errorf("transfer: %w", err)
		}
	}
	return nil
}

// compare runs the comparison for this process's share of all stages.
func (r *running) compare(ctx context.Context) error {
	for k := range r.w.p.Stages[:len(r.w.p.Stages)-1] {
		if r.o.Stage != 0 && r.o.Stage != k+1 {
			continue
		}
		lo, hi := r.share(k)
		if err := r.w.compareAll(ctx, lo, hi, r.o.Parallel); err != nil {
			return err
		}
	}
	return nil
}

// expect announces the numbers of reads and writes to the stores of a stage's arrays. share is the
// fraction of the stage's tasks that this process runs, at most 1.
func (w *Worker) expect(ctx context.Context, stage int, share float64) error {
	for i := range w.p.Stages[stage].Steps {
		s := &w.p.Stages[stage].Steps[i]
		if s.From == nil || s.Kind == Objects {
			continue
		}
		from, to, err := w.arrays.both(ctx, s)
		if err != nil {
			return err
		}
		w.arrays.store(s.To).ExpectWrites(int64(float64(product(1, s.Grid...)) * share))
		if s.From.In != Source {
			continue
		}
		n, shape := int64(1), to.Shape()
		for d, each := range objectShape(from) {
			n = times(n, int64((s.start(d)+shape[d]-1)/each-s.start(d)/each+1))
		}
		w.arrays.store(s.From).ExpectReads(n, share)
	}
	return nil
}
