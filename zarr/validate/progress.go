package validate

import (
	"math"
	"sync"
)

func (r *run) progress(done, more int64) {
	if r.opts.Progress == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done += done
	r.total = min(r.total, math.MaxInt64-more) + more
	r.opts.Progress(r.done, r.total)
}

// tally adds up the progress of a repair, from one check to the next, for Options.Progress. It also
// counts the objects that the repair tries to restore.
type tally struct {
	report func(done, total int64) // Options.Progress; may be nil

	mu          sync.Mutex
	done, total int64 // counted before the current pass
	pass        int64 // done in the current pass
}

// next starts a check of the hierarchy and returns the function to be used as its Options.Progress.
func (t *tally) next() func(done, total int64) {
	if t.report == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done, t.pass = t.done+t.pass, 0
	t.total = t.done // drop the rest of the previous pass's upper bound
	return func(done, total int64) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.pass = done
		t.report(t.done+done, min(t.total, math.MaxInt64-total)+total)
	}
}

// objects starts the restoring of n objects, after all checks. The returned function counts one
// object that was tried.
func (t *tally) objects(n int64) func() {
	next := t.next()
	if next == nil || n == 0 {
		return func() {}
	}
	next(0, n)
	var mu sync.Mutex // reports counts in ascending order
	done := int64(0)
	return func() {
		mu.Lock()
		defer mu.Unlock()
		done++
		next(done, n)
	}
}

// expect adds the number of chunks in a grid to the total of Options.Progress.
func (r *run) expect(grid []int) {
	more := int64(1)
	for _, k := range grid {
		switch {
		case k == 0:
			more = 0
		case more > math.MaxInt64/int64(k):
			more = math.MaxInt64
		default:
			more *= int64(k)
		}
	}
	r.progress(0, more)
}

// looked counts one checked chunk or shard.
func (r *run) looked() { r.progress(1, 0) }
