package transfer

import (
	"iter"
	"sync"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/keys"
	"github.com/zargo-io/zargo/internal/copying/claimed"
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

// check returns fault.Selection if o does not fit the plan.
func (o *RunOptions) check(p *Plan) error {
	if o.Count < 0 || o.Index < 0 || o.Index > 0 && o.Index >= o.Count || o.Stage < 0 || o.Stage > p.copying() {
		return fault.Newf(fault.Selection, "transfer: index %d of %d processes or stage %d of %d stages is out of range", o.Index, o.Count, o.Stage, p.copying())
	}
	return nil
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

// pending yields the tasks of stage k in [lo, hi) that are not done, and reports the others as
// progress.
//
// If this process runs all stages, it leaves out the tasks that have nothing to copy, as soon as a
// listing of the source has shown this. These tasks get no marker, so that the requests and the
// time of a copy depend on the stored objects and not on the grid. Other processes would miss the
// markers.
func (r *running) pending(k int, done *claimed.Set, lo, hi int) iter.Seq[int] {
	if skipped := done.Between(lo, hi); skipped > 0 {
		r.progress(k, skipped, skipped)
	}
	first, n := r.w.p.TasksOf(k)
	alone := r.o.Stage == 0 && lo == first && hi == first+n
	return func(yield func(int) bool) {
		for s, at := 0, first; at < hi; s++ {
			step := &r.w.p.Stages[k].Steps[s]
			end := min(at+step.tasks(), hi)
			if !r.ofStep(step, done, at, max(at, lo), end, alone, yield) {
				return
			}
			at = end
		}
	}
}

// ofStep yields the tasks of one step in [lo, hi) that are not done. first is the first task of the
// step. If sparse is true, ofStep leaves out tasks that have nothing to copy. It returns false if
// yield did.
func (r *running) ofStep(step *Step, done *claimed.Set, first, lo, hi int, sparse bool, yield func(int) bool) bool {
	ran := false
	for i := lo; i < hi; i++ {
		if done.Has(i) {
			continue
		}
		// The first task checks the target and the source's metadata.
		if sparse && ran {
			if some := r.w.holding(step); some != nil {
				return r.only(step, done, first, i, hi, some, yield)
			}
		}
		ran = true
		if !yield(i) {
			return false
		}
	}
	return true
}

// only is ofStep for the tasks at the positions some in the grid of tasks.
func (r *running) only(step *Step, done *claimed.Set, first, lo, hi int, some *keys.Set, yield func(int) bool) bool {
	empty := hi - lo - done.Between(lo, hi)
	grid := step.tasksAlong()
	for at := range some.All() {
		i := 0
		for d, n := range grid {
			i = i*n + at[d]
		}
		if i += first; i < lo || done.Has(i) {
			continue
		}
		empty--
		if !yield(i) {
			return false
		}
	}
	r.progress(r.w.p.StageOf(first), empty, 0)
	return true
}

// tasksAlong returns the number of tasks along each dimension.
func (s *Step) tasksAlong() []int {
	n := make([]int, len(s.Grid))
	for d, g := range s.Grid {
		n[d] = ceil(g, s.Block[d])
	}
	return n
}

// maxHolding is the maximum memory of the positions of tasks. In 8 MiB fit 14,000 tasks that are
// far apart.
const maxHolding = 8 << 20

// holding returns the positions, in the grid of tasks, of the tasks that copy a stored object. It
// returns nil if no listing has shown them, if tasks without an object have something to do, or if
// the positions take more memory than maxHolding.
func (w *Worker) holding(step *Step) *keys.Set {
	if step.Kind != Encoded || step.From.In != Source {
		return nil
	}
	all, ok := w.arrays.store(step.From).Present()
	if !ok {
		return nil
	}
	w.arrays.mu.Lock()
	from, to := w.arrays.open[*step.From], w.arrays.open[*step.To]
	w.arrays.mu.Unlock()
	if from == nil || to == nil {
		return nil
	}
	some := keys.NewSet(step.tasksAlong())
	task, first := make([]int, len(step.Grid)), offset(step.Start, from)
	for coord := range all {
		inside := true
		for d, c := range coord {
			c -= first[d]
			inside = inside && c >= 0 && c < step.Grid[d]
			task[d] = c / step.Block[d]
		}
		if inside && !some.Has(task) {
			some.Add(task)
		}
		if some.Bytes() > maxHolding {
			return nil
		}
	}
	return some
}
