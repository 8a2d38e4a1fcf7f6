package cache

import (
	"sync/atomic"
	"time"
)

// lateFor is how long a write of unknown outcome may still take effect. It exceeds the time for
// which a service processes a request after the client has disconnected.
const lateFor = time.Minute

// doubts has a time for each hash of a key. Entries that were requested before that time may be
// older than a write whose outcome is unknown.
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

// doubted reports whether a late write may have changed an object after the time checked, when the
// object was last requested. Callers must call doubted at each use of an entry, because a write may
// take effect until lateFor has passed.
func (c *Cache) doubted(key string, checked time.Time) bool {
	until := c.doubts.any.Load()
	if until == 0 {
		return false
	}
	at := int64(checked.Sub(c.doubts.since))
	return at < until && at < c.doubts.of[c.slot(key)].Load()
}
