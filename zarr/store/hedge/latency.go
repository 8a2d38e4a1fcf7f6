package hedge

import (
	"math/bits"
	"slices"
	"time"
)

const (
	window = 128 // first bytes that a class remembers
	latest = 64  // of them the median is of
	enough = 16  // that it has seen before it says what is slow
	calm   = 32  // that it has seen before it says what is normal
	every  = 8   // first bytes from one look at them to the next
	slow   = 1.5 // times the 95th percentile
	risen  = 1.5 // times what the median was
	rising = 256 // looks after which what the median is compared with is e times as much, if the store stays slower

	longest  = 1 << 30               // bytes of an answer: of more the wait for the first is a small part
	shortest = 10 * time.Millisecond // before which no second request is worth its cost
)

// class is what was seen of requests for values of about one size.
type class struct {
	recent  [window]time.Duration
	seen    int
	last    time.Time     // when the last one was seen
	limit   time.Duration // after which a request is slow; 0 when that is not known yet
	median  time.Duration
	normal  time.Duration         // the median of calmer times
	waiting map[*request]struct{} // that began when limit was not known
}

const classes = 4

// classOf is the class of requests that bring up to n bytes: 64 KiB, 1 MiB, 16 MiB, more.
func classOf(n int64) int {
	return min(max(bits.Len64(uint64(n-1))-13, 0)/4, classes-1)
}

// add takes a first byte into account. No request is slow before least.
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
		return // of requests that begin together the fastest are seen first
	}
	if c.normal += c.normal / rising; c.normal == 0 || c.median < c.normal {
		c.normal = c.median
	}
}

// isSlow reports whether all requests of the class are slower than they were. When none has been
// answered for a while, that is not known any more.
func (c *class) isSlow() bool {
	return c.normal > 0 && float64(c.median) > risen*float64(c.normal) && time.Since(c.last) < c.limit*3/2
}
