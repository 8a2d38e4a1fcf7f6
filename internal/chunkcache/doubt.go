package chunkcache

import (
	"sync/atomic"
	"time"
)

// lateFor is how long a write of unknown outcome may still take effect. A minute is longer than
// services process a request after its client has disconnected.
const lateFor = time.Minute

// doubts contains a time for each hash of a key. Until that time, results for the key may be older
// than a write of unknown outcome.
type doubts struct {
	since time.Time // other times are nanoseconds since then
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

// doubted reports whether a late request may have written an object after the time checked. At that
// time the object was last requested. It must be called at each use of an entry, because late
// writes can take effect until lateFor has passed.
func (c *Cache) doubted(key string, checked time.Time) bool {
	until := c.doubts.any.Load()
	if until == 0 {
		return false
	}
	at := int64(checked.Sub(c.doubts.since))
	return at < until && at < c.doubts.of[c.slot(key)].Load()
}
