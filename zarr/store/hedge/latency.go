package hedge

import (
	"math/bits"
	"slices"
	"time"
)

const (
	window = 128 // latencies of first bytes that a class remembers
	latest = 64  // most recent ones from which the median is taken
	enough = 16  // latencies needed to decide which requests are slow
	calm   = 32  // latencies needed for the normal median
	every  = 8   // latencies between two evaluations
	slow   = 1.5 // limit as a multiple of the 95th percentile
	risen  = 1.5 // multiple of the normal median from which the whole store is slow
	rising = 256 // evaluations in which normal grows by a factor of e if the store stays slower

	longest  = 1 << 30               // bytes; longer responses are not hedged
	shortest = 10 * time.Millisecond // below, a second request is not worth its cost
)

// class is the statistics of requests for values of similar size.
type class struct {
	recent  [window]time.Duration
	seen    int
	last    time.Time     // when the last one was added
	limit   time.Duration // after which a request is slow; 0 while unknown
	median  time.Duration
	normal  time.Duration         // the median of calmer times
	waiting map[*request]struct{} // requests that started while limit was unknown
}

const classes = 4

// classOf returns the class of requests for up to n bytes: 64 KiB, 1 MiB, 16 MiB, or more.
func classOf(n int64) int {
	return min(max(bits.Len64(uint64(n-1))-13, 0)/4, classes-1)
}

// add adds the latency of a first byte. The limit is at least least.
func (c *class) add(took, least time.Duration) {
	c.last = time.Now()
	c.recent[c.seen%window] = took
	c.seen++
	if c.seen < enough || c.seen%every != 0 {
		return
	}
	sorted := slices.Sorted(slices.Values(c.recent[:min(c.seen, window)]))
	c.limit = max(time.Duration(slow*float64(sorted[len(sorted)*95/100])), least)
	sorted = sorted[:0]
	for i := range min(c.seen, latest) {
		sorted = append(sorted, c.recent[(c.seen-1-i)%window])
	}
	slices.Sort(sorted)
	c.median = sorted[len(sorted)/2]
	if c.seen < calm {
		return // the fastest of the requests that start together are seen first
	}
	if c.normal += c.normal / rising; c.normal == 0 || c.median < c.normal {
		c.normal = c.median
	}
}

// isSlow reports whether all requests of the class are slower than usual. It returns false if no
// first byte has arrived recently.
func (c *class) isSlow() bool {
	return c.normal > 0 && float64(c.median) > risen*float64(c.normal) && time.Since(c.last) < c.limit*3/2
}
