package limit

import (
	"math"
	"time"
)

// doubling is how long a bucket takes to be ready for twice as many requests a second. Source:
// Cloud Storage, "Request rate and access distribution guidelines": begin below 1000 writes and
// 5000 reads a second, double every 20 minutes at most.
const doubling = 20 * time.Minute

// unused is for how long a share that was not used may be used later.
const unused = 20 * time.Second

// ramp spaces requests so that a service that adds servers as the load grows has the time to. The
// zero ramp lets all through.
type ramp struct {
	first float64 // requests a second to begin with; 0 is no bound
	part  bool    // it is a share of what several clients have: what is not used of it may be used later
	rate  float64 // today's
	free  time.Time
	tick  time.Time // begin of the second that used counts in
	used  float64
}

// book books a place for a request and gives how long that is away. A second's worth may go at
// once.
func (r *ramp) book(now time.Time) time.Duration {
	if r.first == 0 {
		return 0
	}
	r.adjust(now)
	r.used++
	each := time.Duration(float64(time.Second) / r.rate)
	if r.part {
		each = about(each)
	}
	r.free = r.free.Add(each)
	return max(0, r.free.Sub(now))
}

// wait is how long it is until a place is free.
func (r *ramp) wait(now time.Time) time.Duration {
	if r.first == 0 {
		return 0
	}
	r.adjust(now)
	return r.free.Sub(now)
}

// adjust makes the rate that of now, and forgets places that nobody took.
func (r *ramp) adjust(now time.Time) {
	if d := since(now, r.tick); d > doubling {
		r.rate, r.tick, r.used, r.free = r.first, now, 0, time.Time{} // the service has forgotten, too
		if r.part {
			r.free = now.Add(about(time.Duration(float64(time.Second) / r.rate)))
		}
	} else if d >= time.Second {
		if r.used >= r.rate*d.Seconds()/2 {
			r.rate *= math.Exp2(d.Seconds() / doubling.Seconds()) // the service grows with the load, not with the clock
		}
		r.tick, r.used = now, 0
	}
	credit := time.Second
	if r.part {
		credit = unused
	}
	if burst := now.Add(-credit); r.free.Before(burst) || r.free.Sub(now) > time.Hour {
		r.free = burst
	}
}
