package plan

import (
	"slices"

	"github.com/zargo-io/zargo/zarr/store"
)

// Cost is what requests cost, in bytes that could be read instead. It is determined once for each
// call.
type Cost struct {
	Gap     int64 // bytes that one connection transfers while a request waits for its first byte
	Cheap   int64 // bytes of a gap that is always read through
	Max     int64 // bytes of the longest merged read
	Streams int   // requests for one object that are under way at once; 0: gaps longer than Cheap are never read through
}

// Weighs reports whether gaps are read through or not by what requests cost.
func (c Cost) Weighs() bool { return c.Gap > c.Cheap }

// The numbers of costs in bytes.
const (
	cheap   = 16 << 10 // less than a request costs in processor time, however near the store is
	longest = 8 << 20  // of a gap, whatever was measured
)

// CostOf is the cost by a store's numbers and what its bucket took of late, the zero Measured where
// that is not known, with so many objects under way at once.
func CostOf(t store.Tuning, m store.Measured, objects int) Cost {
	c := Cost{Gap: t.RangeGap, Cheap: min(t.RangeGap, cheap), Max: t.RangeMax, Streams: max(1, t.Requests/max(1, objects))}
	if m.Bandwidth > 0 {
		c.Gap = int64(min(max(m.Latency.Seconds()*m.Bandwidth, float64(c.Cheap)), longest))
	}
	return c
}

// waste bounds what is read through: together with what is wanted it is so many times that, unless
// gaps are cheap.
const waste = 3

// gap is the longest gap between sorted pieces that is read through. With Streams it is that for
// which the reads end first: they are made in rounds of so many, each of which waits for a first
// byte, and share the bytes.
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

// part reports whether n of the bytes of a chunk are read in place of all. That takes no request
// more, so what is left out need only be worth mentioning.
func (c *Cost) part(all, n int64) bool { return all-n > c.Cheap }

// time is how long reads take, in bytes that one connection transfers meanwhile.
func (c *Cost) time(reads int, bytes int64) int64 {
	rounds := (reads-1)/c.Streams + 1
	return int64(rounds)*c.Gap + bytes/int64(min(reads, c.Streams))
}
