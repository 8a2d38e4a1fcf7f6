package hedge

import (
	"math/bits"
	"slices"
	"time"
)

const (
	window = 128 // number of latencies of first bytes that a class keeps
	latest = 64  // number of most recent latencies for the median
	enough = 16  // number of latencies needed to decide which requests are slow
	calm   = 32  // number of latencies needed for the normal median
	every  = 8   // number of latencies between two evaluations
	known  = 3   // number of latencies of all classes needed for the limit of the first requests
	slow   = 1.5 // limit as a multiple of the 95th percentile
	middle = 2.5 // the same of the median; the smaller limit applies
	bold   = 4   // limit of the first requests, early, as a multiple of the median
	risen  = 1.5 // multiple of the normal median at which the whole store is slow
	rising = 256 // evaluations in which normal grows by a factor of e if the store stays slower

	distant = 5 * time.Millisecond   // first requests are not hedged if the median is less
	settled = 100 * time.Millisecond // minimum limit of the first requests, which make connections

	longest  = 1 << 30               // bytes; longer responses are not hedged
	document = 64 << 20              // a Get that permits more bytes reads a document of unknown length
	usual    = 1 << 20               // bytes; longer documents are not hedged
	shortest = 10 * time.Millisecond // a second request for less is not worth its cost
)

// class holds the statistics of requests for values of similar size.
type class struct {
	recent  [window]time.Duration
	seen    int
	last    time.Time     // time at which the last latency was added
	limit   time.Duration // time after which a request is slow; 0 while unknown
	median  time.Duration
	normal  time.Duration         // median of calmer times
	waiting map[*request]struct{} // requests that started while limit was unknown
}

const classes = 4

// classOf returns the class of requests for up to n bytes. The upper bounds of the first three
// classes are 64 KiB, 1 MiB and 16 MiB; the fourth has none.
func classOf(n int64) int {
	return min(max(bits.Len64(uint64(n-1))-13, 0)/4, classes-1)
}

// add adds the latency of a first byte to the statistics and updates the limit of the class, which
// is at least floor.
func (c *class) add(took, floor time.Duration) {
	c.last = time.Now()
	c.recent[c.seen%window] = took
	c.seen++
	if c.seen < enough || c.seen%every != 0 {
		return
	}
	sorted := slices.Sorted(slices.Values(c.recent[:min(c.seen, window)]))
	// If 5 % of the requests are slow, the percentile is the latency of a slow request.
	c.limit = max(time.Duration(min(slow*float64(sorted[len(sorted)*95/100]), middle*float64(sorted[len(sorted)/2]))), floor)
	sorted = sorted[:0]
	for i := range min(c.seen, latest) {
		sorted = append(sorted, c.recent[(c.seen-1-i)%window])
	}
	slices.Sort(sorted)
	c.median = sorted[len(sorted)/2]
	if c.seen < calm {
		return // the fastest of the requests that start together are recorded first
	}
	if c.normal += c.normal / rising; c.normal == 0 || c.median < c.normal {
		c.normal = c.median
	}
}

// early returns the limit of the first requests according to the first latencies of all classes, or
// 0 if it is unknown.
func early(latencies []time.Duration) time.Duration {
	if len(latencies) < known {
		return 0
	}
	sorted := slices.Sorted(slices.Values(latencies))
	median := sorted[len(sorted)/2]
	if median < distant {
		return 0
	}
	return max(bold*median, settled)
}

// isSlow reports whether all requests of the class are slower than usual. It returns false if no
// first byte has arrived recently.
func (c *class) isSlow() bool {
	return c.normal > 0 && float64(c.median) > risen*float64(c.normal) && time.Since(c.last) < c.limit*3/2
}
