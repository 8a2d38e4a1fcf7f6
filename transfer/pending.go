package transfer

import (
	"iter"

	"github.com/zargo-io/zargo/internal/chunk/keys"
	"github.com/zargo-io/zargo/internal/copying/claimed"
)

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
