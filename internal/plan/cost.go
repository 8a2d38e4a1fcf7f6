package plan

import (
	"slices"

	"github.com/zargo-io/zargo/zarr/store"
)

// Cost is what requests cost, in bytes that could be read instead. It is taken once a call, and is a part of its plan.
type Cost struct {
	Gap     int64 // bytes that one connection transfers while a request waits for its first byte
	Cheap   int64 // bytes of a gap that is always read through
	Max     int64 // bytes of the longest merged read
	Streams int   // requests for one object that are under way at once; 0: gaps longer than Cheap are never read through
}

// CostOf is the cost by a store's settings: a gap is read through where the tuning says so, however many requests are under way.
func CostOf(t store.Tuning) Cost { return Cost{Gap: t.RangeGap, Cheap: t.RangeGap, Max: t.RangeMax} }

// waste bounds what is read through: together with what is wanted it is so many times that, unless gaps are cheap.
const waste = 3

// gap is the longest gap between sorted pieces that is read through. With Streams it is that for which the reads end first: they are
// made in rounds of so many, each of which waits for a first byte, and share the bytes.
func (c *Cost) gap(pieces []Piece) int64 {
	if c.Streams < 1 || c.Gap <= c.Cheap || len(pieces) < 2 {
		return c.Cheap
	}
	wanted, gaps := int64(0), make([]int64, 0, len(pieces)-1)
	end := pieces[0].Off
	for _, p := range pieces {
		if p.Off > end {
			gaps = append(gaps, p.Off-end)
			end = p.Off
		}
		if to := p.Off + p.Len; to > end {
			wanted += to - end
			end = to
		}
	}
	slices.Sort(gaps)
	best, least := c.Cheap, int64(-1)
	bytes := wanted
	longest := c.Cheap       // of those that are read through
	for i, n := range gaps { // but for those from i on
		if n > longest {
			if t := c.time(len(gaps)-i+1, bytes); least < 0 || t < least {
				best, least = longest, t
			}
			longest = n
		}
		if bytes += n; n > c.Cheap && (n > c.Gap || bytes > waste*wanted) {
			return best
		}
	}
	if t := c.time(1, bytes); least >= 0 && t < least {
		best = longest
	}
	return best
}

// time is how long reads take, in bytes that one connection transfers meanwhile.
func (c *Cost) time(reads int, bytes int64) int64 {
	rounds := (reads-1)/c.Streams + 1
	return int64(rounds)*c.Gap + bytes/int64(min(reads, c.Streams))
}
