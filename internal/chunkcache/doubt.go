package chunkcache

import (
	"sync/atomic"
	"time"
)

// lateFor is how long a write of unknown outcome may still take place. A minute: longer than
// services take for a request that they have received, of which the client has gone.
const lateFor = time.Minute

// doubts are the times up to which what is found of objects may be older than a write of unknown
// outcome, by the hash of their keys.
type doubts struct {
	since time.Time // the times are nanoseconds since then
	any   atomic.Int64
	of    [slots]atomic.Int64
}

func (d *doubts) add(slot uint64) {
	until := int64(time.Since(d.since) + lateFor)
	d.of[slot].Store(until)
	d.any.Store(until)
}

func (d *doubts) addAll() {
	for i := range d.of {
		d.add(uint64(i)) //nolint:gosec // not negative
	}
}

// doubted reports whether an object that was last looked at then may have been written by a request
// that was late. It has to be asked for each time, until none can come any more.
func (c *Cache) doubted(key string, checked time.Time) bool {
	until := c.doubts.any.Load()
	if until == 0 {
		return false
	}
	at := int64(checked.Sub(c.doubts.since))
	return at < until && at < c.doubts.of[c.slot(key)].Load()
}
