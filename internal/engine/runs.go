package engine

import (
	"iter"
	"slices"

	"github.com/zargo-io/zargo/internal/plan"
)

// hugePage is the memory in bytes that is mapped at once where an allocation is large.
const hugePage = 2 << 20

// nearby is the gap in bytes below which a store's requests cost no round trip: then nothing is lost when one goroutine makes several
// of them, one after another.
const nearby = 64 << 10

// neighbours is how many objects in a row one goroutine takes: those along the fastest axis whose rows lie in the same pages of what is
// read into, so that each page is first touched by one goroutine. It is 1 where requests wait for a network, where an object's
// rows share no page with the next one's, and where there are so few objects that cores would have none.
func (r *runner) neighbours() int {
	last := len(r.memory.Shape) - 1
	if r.plan.Write != nil || last < 0 || len(r.memory.Shape) != len(r.plan.Axes) || r.memory.Bytes == nil || r.plan.Cost.Gap >= nearby {
		return 1
	}
	c := r.plan.Pipe.Largest()
	if c.Shards != nil {
		return 1
	}
	row, own := r.memory.Shape[last]*c.Size, c.Shape[last]*c.Size
	return max(min(min(row, hugePage)/max(own, 1), r.total/(4*r.Options.Limits.CPU.Slots())), 1)
}

// rows groups objects into runs of up to n that differ in the position along the fastest axis alone.
func rows(objects iter.Seq[*plan.Object], n int) iter.Seq[[]*plan.Object] {
	return func(yield func([]*plan.Object) bool) {
		var run []*plan.Object
		for o := range objects {
			last := len(o.Coord) - 1
			if len(run) == n || len(run) > 0 && !slices.Equal(run[0].Coord[:last], o.Coord[:last]) {
				if !yield(run) {
					return
				}
				run = nil
			}
			if run == nil {
				run = make([]*plan.Object, 0, n)
			}
			run = append(run, o)
		}
		if len(run) > 0 {
			yield(run)
		}
	}
}
