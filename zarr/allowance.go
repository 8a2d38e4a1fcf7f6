package zarr

import (
	"sync/atomic"

	plan "github.com/zargo-io/zargo/internal/shard/fetch"
	"github.com/zargo-io/zargo/zarr/fault"
)

// allowance is what is left of a call's MaxRequests. A nil allowance has no end.
type allowance struct {
	most int
	used atomic.Int64
}

func (a *Array) allowance() *allowance {
	if a.cfg.maxRequests == 0 {
		return nil
	}
	return &allowance{most: a.cfg.maxRequests}
}

// take is called before n requests are made, and refuses all of them where they would be too many.
func (l *allowance) take(n int) error {
	if l == nil || l.used.Add(int64(n)) <= int64(l.most) {
		return nil
	}
	return fault.Newf(fault.Limit, "the call needs more requests than MaxRequests(%d)", l.most)
}

// admit refuses what is over a limit before anything is requested: shards with long indexes, and a plan that needs more than
// MaxRequests, by the least that it can take: one for each object, and another one to write an object of which a part stays.
func (a *Array) admit(p plan.Plan, write bool) error {
	if a.pipe.Even() {
		if _, err := a.pipe.For(nil); err != nil {
			return a.errf(err)
		}
	}
	most := a.cfg.maxRequests
	if most == 0 {
		return nil
	}
	n := p.Len()
	if n <= most && write {
		for f := range p.Fetches() {
			if !f.Covers || a.field != nil {
				n++
			}
		}
	}
	if n > most {
		return a.errf(fault.Newf(fault.Limit, "the selection takes %d requests or more, more than MaxRequests(%d)", n, most))
	}
	return nil
}
