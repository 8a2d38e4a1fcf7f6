package plan

import (
	"slices"

	"github.com/zargo-io/zargo/zarr/store"
)

// Cost is the cost of requests, expressed as the number of bytes that could be transferred in the
// same time. It is computed once for each call.
type Cost struct {
	Gap     int64 // bytes that one connection transfers while a request waits for its first byte
	Cheap   int64 // maximum bytes of a gap that is always read and never skipped
	Max     int64 // maximum bytes of a merged read
	Streams int   // concurrent requests for one object; 0 means that no gap longer than Cheap is read
}

// Weighs reports whether gaps that are not cheap may be read to save requests.
func (c Cost) Weighs() bool { return c.Gap > c.Cheap }

// unmeasured is the bandwidth of a connection in bytes per second that is assumed before it can be
// measured. The providers' RangeGap assumes the same bandwidth, and 30 ms to the first byte.
const unmeasured = 80e6

// Bounds of gaps in bytes.
const (
	cheap   = 16 << 10 // a request costs more than reading this many bytes, even from a local store
	longest = 8 << 20  // maximum of a measured gap
)

// CostOf returns the cost for a store with settings t and recent measurements m of its bucket.
// objects is the number of objects that a call has in flight. A zero m means that there are no
// measurements. Without a bandwidth, the latency of m can only reduce RangeGap.
func CostOf(t store.Tuning, m store.Measured, objects int) Cost {
	c := Cost{Gap: t.RangeGap, Cheap: min(t.RangeGap, cheap), Max: t.RangeMax, Streams: max(1, t.Requests/max(1, objects))}
	switch {
	case m.Bandwidth > 0:
		c.Gap = int64(min(max(m.Latency.Seconds()*m.Bandwidth, float64(c.Cheap)), longest))
	case m.Latency > 0: // the service may be nearer than RangeGap assumes
		c.Gap = min(c.Gap, max(int64(m.Latency.Seconds()*unmeasured), c.Cheap))
	}
	return c
}

// waste bounds the length of a read that contains gaps that are not cheap. Such a read has at most
// waste times the bytes of its pieces.
const waste = 3

// gap returns the maximum length of the gaps between sorted pieces that are read along with the
// pieces. It chooses the length that minimizes the total time. The model is that reads are made in
// rounds of c.Streams requests. Each round waits for a first byte, and its requests share the
// bandwidth.
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
	longest := c.Cheap       // longest gap that is read
	for i, n := range gaps { // computes the time without the gaps from i on
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

// part reports whether to read n bytes of a chunk instead of the whole chunk, whose length is all.
// A partial read takes no additional request, so it is worthwhile if it omits more than Cheap
// bytes.
func (c *Cost) part(all, n int64) bool { return all-n > c.Cheap }

// time returns the duration of reads, expressed as the number of bytes that one connection
// transfers in this time.
func (c *Cost) time(reads int, bytes int64) int64 {
	rounds := (reads-1)/c.Streams + 1
	return int64(rounds)*c.Gap + bytes/int64(min(reads, c.Streams))
}
