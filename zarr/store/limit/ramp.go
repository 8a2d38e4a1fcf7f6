package limit

import (
	"math"
	"time"
)

// doubling is how long a bucket takes to be ready for twice as many requests a second. Source: Cloud Storage, "Request rate and access distribution
// guidelines": begin below 1000 writes and 5000 reads a second, double every 20 minutes at most.
const doubling = 20 * time.Minute

// ramp spaces requests so that a service that adds servers as the load grows has the time to. The zero ramp lets all through.
type ramp struct {
	first float64 // requests a second to begin with; 0 is no bound
	rate  float64 // today's
	free  time.Time
	tick  time.Time // begin of the second that used counts in
	used  float64
}

// next books a place for a request and gives how long that is away. A second's worth may go at once.
func (r *ramp) next(now time.Time) time.Duration {
	if r.first == 0 {
		return 0
	}
	if d := since(now, r.tick); d > doubling {
		r.rate, r.tick, r.used, r.free = r.first, now, 0, time.Time{} // the service has forgotten, too
	} else if d >= time.Second {
		if r.used >= r.rate*d.Seconds()/2 {
			r.rate *= math.Exp2(d.Seconds() / doubling.Seconds()) // the service grows with the load, not with the clock
		}
		r.tick, r.used = now, 0
	}
	r.used++
	if burst := now.Add(-time.Second); r.free.Before(burst) || r.free.Sub(now) > time.Hour {
		r.free = burst
	}
	r.free = r.free.Add(time.Duration(float64(time.Second) / r.rate))
	return max(0, r.free.Sub(now))
}
