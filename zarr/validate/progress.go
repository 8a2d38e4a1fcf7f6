package validate

import "math"

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
