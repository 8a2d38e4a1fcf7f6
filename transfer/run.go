package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/copying/claimed"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// RunOptions configures [Run]. The zero value runs all tasks in this process.
type RunOptions struct {
	// Parallel is the maximum number of concurrent tasks. The plan's memory may allow fewer. The
	// default is twice the number of CPUs, at least 4.
	Parallel int
	// Index and Count divide the tasks of each stage among Count processes. Of n tasks this process
	// runs those in [Index*n/Count, (Index+1)*n/Count). Index must be less than Count. The default
	// is one process. The last task of the plan publishes the target. It runs in any process that
	// finds all other tasks done.
	Index, Count int
	// Stage is the only stage to run, counted from 1. After the last stage that copies, Run also
	// publishes the target. The default, 0, runs all stages in order. Each stage starts only when
	// the previous one is complete.
	Stage int
	// Wait is the maximum time to wait for other processes before each stage, if Stage is 0 and
	// Count is more than 1. If the previous stage is then not complete, Run returns
	// fault.Unavailable, and a later call continues. The default, 0, does not wait.
	Wait time.Duration
	// Progress, if not nil, is called after each task, and once for the tasks that were done before
	// the run. Calls are not concurrent.
	Progress func(Progress)
	// Limits bounds the resources of this run together with other work of the process that shares
	// the limits. The fields CPU and Bytes are required. Run reserves memory for tasks in a child
	// of Bytes, which is bounded by the plan's memory. Concurrent transfers together exceed Bytes
	// only by one task that needs more than Bytes. A process that only runs transfers may set Bytes
	// to a budget of Plan.Budget bytes. The default is concurrency.Default.
	Limits *concurrency.Limits
	// Rehearse makes Run send the requests of the first task of each step until it copies, and
	// those of the last task. No task copies anything, and none gets a marker. Use it with a store
	// that keeps changes in memory. [Plan.Requests] returns the other requests.
	Rehearse bool
	// Zarr contains options for opening arrays, for example zarr.Extensions.
	Zarr []zarr.Option
}

// Progress is the progress of a run.
type Progress struct {
	Stage, Stages int           // Stage counts from 1; Stages includes the last one, Finish
	Done, Tasks   int           // done and total tasks of this run's share
	Skipped       int           // tasks in Done that were done before the run
	Moved         store.Amount  // requests and bytes of the run
	Took          time.Duration // since the start of the run
}

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

// check returns fault.Selection if o does not fit the plan.
func (o *RunOptions) check(p *Plan) error {
	if o.Count < 0 || o.Index < 0 || o.Index > 0 && o.Index >= o.Count || o.Stage < 0 || o.Stage > p.copying() {
		return fault.Newf(fault.Selection, "transfer: index %d of %d processes or stage %d of %d stages is out of range", o.Index, o.Count, o.Stage, p.copying())
	}
	return nil
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

// running is the state of one run.
type running struct {
	w     *Worker
	o     RunOptions
	begun time.Time
	total int

	before store.Amount // moved by the worker before the run
	owed   []string     // markers that were left out because the last task follows

	mu            sync.Mutex
	done, skipped int
}

// share returns the tasks [lo, hi) of stage k that this process runs.
func (r *running) share(k int) (lo, hi int) {
	first, n := r.w.p.TasksOf(k)
	count := max(r.o.Count, 1)
	at := func(i int) int { return first + int(int64(i)*int64(n)/int64(count)) }
	return at(r.o.Index), at(r.o.Index + 1)
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
		if changed := r.w.unchanged(ctx); errors.Is(changed, fault.Conflict) {
			err = fmt.Errorf("transfer: %w", changed) // the cause
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

func (r *running) progress(stage, done, skipped int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done += done
	r.skipped += skipped
	if r.o.Progress != nil {
		r.o.Progress(Progress{
			Stage: stage + 1, Stages: len(r.w.p.Stages), Done: r.done, Tasks: r.total, Skipped: r.skipped,
			Moved: r.w.moved.amount().Sub(r.before), Took: time.Since(r.begun),
		})
	}
}

// counter counts requests and bytes.
type counter struct{ gets, puts, read, written atomic.Int64 }

// around wraps s so that its requests are counted.
func (c *counter) around(s store.Store) store.Store {
	return store.Observe(s, func(_ context.Context, e store.Event) {
		switch e.Op {
		case store.OpGet, store.OpList:
			c.gets.Add(1)
			c.read.Add(e.Bytes)
		default:
			c.puts.Add(1)
			c.written.Add(e.Bytes)
		}
	})
}

func (c *counter) amount() store.Amount {
	return store.Amount{Gets: c.gets.Load(), Puts: c.puts.Load(), BytesRead: c.read.Load(), BytesWritten: c.written.Load()}
}
