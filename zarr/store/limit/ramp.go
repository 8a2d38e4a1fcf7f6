package limit

import (
	"math"
	"time"
)

// ramp spaces requests to give the service time to add servers under load. The zero ramp does not
// limit requests.
type ramp struct {
	first float64 // initial requests per second; 0 means no limit
	part  bool    // set if several clients share the rate; unused requests may then be made later
	rate  float64 // current requests per second
	free  time.Time
	tick  time.Time // start of the period that used counts
	used  float64
}

// doubling is the time that a service needs to adapt to twice the request rate on a bucket. The
// source is Cloud Storage, "Request rate and access distribution guidelines": start below 1000
// writes and 5000 reads per second, and at most double the rate every 20 minutes.
const doubling = 20 * time.Minute

// unused is the time that unused start times of a client remain available.
const unused = 20 * time.Second

// book reserves a start time for a request and returns the time until then. The requests of one
// second may start in a burst.
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

// wait returns the time until a request may start.
func (r *ramp) wait(now time.Time) time.Duration {
	if r.first == 0 {
		return 0
	}
	r.adjust(now)
	return r.free.Sub(now)
}

// adjust updates the rate and drops unused start times.
func (r *ramp) adjust(now time.Time) {
	if d := since(now, r.tick); d > doubling {
		// The service has adapted to the absence of requests.
		r.rate, r.tick, r.used, r.free = r.first, now, 0, time.Time{}
		if r.part {
			r.free = now.Add(about(time.Duration(float64(time.Second) / r.rate)))
		}
	} else if d >= time.Second {
		if r.used >= r.rate*d.Seconds()/2 {
			// The capacity of the service grows only under load.
			r.rate *= math.Exp2(d.Seconds() / doubling.Seconds())
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
