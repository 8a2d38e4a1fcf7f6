package limit

import (
	"math"
	"math/rand/v2"
	"time"
)

// pace spaces the requests in time. It is used if the capacity of the service is too small for a
// limit on the requests in flight. The rate rises with each served request and falls with each
// refused one.
type pace struct {
	rate  float64 // requests per second; 0 means no pace
	cutAt time.Time
	run   float64       // number of requests served since the last refusal
	young bool          // set if no request has been refused
	took  time.Duration // average time of a served request
	least float64       // minimum rate
	fresh bool          // set until the first request of a spread pace

	free time.Time // time at which the next request may start
}

// Constants of pace. Their origin is documented in docs/adr/027-fleets.md.
const (
	paced    = 8                     // requests in flight below which requests are spaced instead
	slowest  = 1                     // minimum requests per second; less in a larger fleet
	rarest   = 0.1                   // minimum initial requests per second in a fleet of known size
	first    = 8                     // minimum initial requests per second
	steepest = 2                     // maximum growth after one response
	assumed  = 35 * time.Millisecond // time of a request until one has been served
	steady   = 0.06                  // share of refusals at which high rates become stable
)

// caution returns the fraction of the rate that a refusal subtracts. The growth after a served
// request is proportional to the same fraction. The fraction is larger at low rates, so that a slow
// client catches up with faster ones.
func caution(rate float64) float64 { return min(0.5, 0.3/math.Sqrt(rate)) }

// begin starts a pace.
func (p *pace) begin(rate float64, took time.Duration, now time.Time) {
	*p = pace{rate: max(rate, first), young: true, cutAt: now, took: took, least: slowest, free: p.free}
	if took <= 0 {
		p.took = assumed
	}
}

// spread starts a pace in a fleet of known size. The processes may start at the same time, so the
// first request is at a random time in the first interval, which is at most 10 s.
func (p *pace) spread(rate float64, now time.Time) {
	p.begin(rate, assumed, now)
	rate = max(rate, rarest)
	p.rate, p.least, p.fresh = rate, min(slowest, rate), true
}

// refused lowers the rate.
func (p *pace) refused(now time.Time) {
	p.young = false
	p.rate, p.run, p.cutAt = max(p.least, p.rate*(1-caution(p.rate))), 0, now
}

// served raises the rate after a served request, if requests waited because of the rate. At the
// expected share of refusals the growth balances the cuts by refusals. It is larger if the last
// refusal was longer ago than expected.
func (p *pace) served(took time.Duration, waited bool) {
	p.took += (took - p.took) / 16
	if p.run++; !waited {
		return
	}
	q := caution(p.rate)
	share := min(max(0.5/math.Sqrt(p.rate), steady), 0.35)
	grown := q * share * max(1, p.run*share*p.run*share)
	if p.young {
		grown = max(grown, 0.2)
	}
	p.rate *= min(1+grown, steepest)
}

// inFlight returns the number of requests that are in flight at the current rate (Little's law).
func (p *pace) inFlight() float64 { return p.rate * p.took.Seconds() }

// size returns the number of slots that the pace needs.
func (p *pace) size() int { return min(max(least, int(1.25*p.inFlight()+1.5)), paced) }

// wait returns the time until the next request may start.
func (p *pace) wait(now time.Time) time.Duration {
	if p.fresh {
		p.fresh, p.free = false, now.Add(rand.N(p.each()))
	}
	if d := p.free.Sub(now); d <= 2*p.each() {
		return d
	}
	return 0 // the clock was set back, or the rate rose
}

// take records that a request starts now, in its turn.
func (p *pace) take(now time.Time) {
	if late := now.Add(-p.each()); p.free.Before(late) || p.free.After(now) {
		p.free = late
	}
	p.free = p.free.Add(about(p.each()))
}

func (p *pace) each() time.Duration { return time.Duration(float64(time.Second) / p.rate) }

// about returns a random duration with mean d. Random durations spread out clients that started or
// were refused at the same time.
func about(d time.Duration) time.Duration { return d/2 + rand.N(d+1) }
