package limit

import (
	"math"
	"math/rand/v2"
	"time"
)

// The numbers of a pace. docs/adr/027-fleets.md says where they come from.
const (
	paced    = 8                     // requests in flight; where a service takes fewer, they are spaced
	slowest  = 1                     // requests a second that a pace falls to
	first    = 8                     // requests a second that a pace begins with at least
	steepest = 2                     // times the rate that it may become after one answer
	assumed  = 35 * time.Millisecond // of a request, until one was served
	steady   = 0.06                  // share of refusals that a pace is content with, where rates are high
)

// pace spaces the requests to a service that takes so few that a number in flight cannot express
// the rate. It rises with each request that is served, and falls with each that is refused.
type pace struct {
	rate  float64 // requests a second; 0: there is no pace
	cutAt time.Time
	run   float64       // requests served since the last refusal
	young bool          // none was refused yet
	took  time.Duration // of a request that is served, on average

	free time.Time // when the next request may begin
}

// caution is the part of the rate that a refusal takes away, and the share of refusals at which the
// rate stays. It is greater at low rates, where requests are few: so a client that is slower than
// others gains on them.
func caution(rate float64) float64 { return min(0.5, 0.3/math.Sqrt(rate)) }

// begin starts a pace.
func (p *pace) begin(rate float64, took time.Duration, now time.Time) {
	*p = pace{rate: max(rate, first), young: true, cutAt: now, took: took, free: p.free}
	if took <= 0 {
		p.took = assumed
	}
}

// refused lowers the rate.
func (p *pace) refused(now time.Time) {
	p.young = false
	p.rate, p.run, p.cutAt = max(slowest, p.rate*(1-caution(p.rate))), 0, now
}

// served raises the rate, if requests waited for it: by so much that it stays at the expected share
// of refusals, and by more while none is refused for longer than that.
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

// inFlight is how many requests are in flight at the rate: Little's law.
func (p *pace) inFlight() float64 { return p.rate * p.took.Seconds() }

// size is how many slots the pace needs.
func (p *pace) size() int { return min(max(least, int(1.25*p.inFlight()+1.5)), paced) }

// wait is how long it is until the next request may begin.
func (p *pace) wait(now time.Time) time.Duration {
	if d := p.free.Sub(now); d <= 2*p.each() {
		return d
	}
	return 0 // the clock was set back, or the rate rose
}

// take takes the turn of a request that begins.
func (p *pace) take(now time.Time) {
	if late := now.Add(-p.each()); p.free.Before(late) || p.free.After(now) {
		p.free = late
	}
	p.free = p.free.Add(about(p.each()))
}

func (p *pace) each() time.Duration { return time.Duration(float64(time.Second) / p.rate) }

// about is a random duration with a mean of d, so that clients that began or were refused together
// do not stay together.
func about(d time.Duration) time.Duration { return d/2 + rand.N(d+1) }
