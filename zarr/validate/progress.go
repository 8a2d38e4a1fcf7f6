package validate

import (
	"math"
	"sync"
)

// expect counts the chunks of a grid, which are to be looked at where they are stored.
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

// looked counts a chunk or a shard that was looked at.
func (r *run) looked() { r.progress(1, 0) }

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

// tally adds up what the passes of a repair count, and the objects that are restored, for
// Options.Progress.
type tally struct {
	report func(done, total int64) // nil: none is wanted

	mu          sync.Mutex
	done, total int64 // before the pass that is under way
	pass        int64 // done of that
}

// next is Progress of one more pass.
func (t *tally) next() func(done, total int64) {
	if t.report == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done, t.pass = t.done+t.pass, 0
	t.total = t.done // a bound was not reached
	return func(done, total int64) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.pass = done
		t.report(t.done+done, min(t.total, math.MaxInt64-total)+total)
	}
}

// objects are to be restored, after all passes; the function that it returns counts one that was
// tried.
func (t *tally) objects(n int64) func() {
	next := t.next()
	if next == nil || n == 0 {
		return func() {}
	}
	next(0, n)
	var mu sync.Mutex // so that the counts come in order
	done := int64(0)
	return func() {
		mu.Lock()
		defer mu.Unlock()
		done++
		next(done, n)
	}
}
