package limit

import (
	"math"
	"time"
)

// doubt is the state while nearly all requests are refused for an unknown reason. Either the
// service is overloaded, or it refuses the first attempts of each request and serves later
// attempts. During a doubt only a few requests are in flight. Their outcomes show which case it is,
// because an overloaded service refuses first and later attempts alike.
type doubt struct {
	from   int   // size before the doubt; 0 means that there is no doubt
	served int   // served requests among those that were in flight at its start
	early  count // first and second attempts
	late   count // later attempts
}

// Constants of doubt.
const (
	patience = 4 * paced // maximum number of responses that are compared, before and during a pace
	likely   = 3         // standard deviations between the shares of refusals of early and late attempts
	certain  = 3.5       // the same during a pace, with repeated comparisons
	trusted  = 256       // number of responses after which retry.Quota.Cures has the same result
)

// begin reduces the size to a few requests and starts a doubt.
func (c *control) begin(now time.Time) {
	c.remember(now)
	c.doubt = doubt{from: c.size}
	c.size, c.sized = paced, now
	c.next(now)
}

// settle does the work of done during a doubt: it records an outcome, and ends the doubt once the
// reason is known.
func (c *control) settle(s sample, now time.Time) int {
	w, d := &c.window, &c.doubt
	w.last = now
	if s.throttled {
		c.refused = now
	}
	if s.sent.Before(c.sized) {
		if !s.throttled {
			d.served++
		}
		return c.size
	}
	w.all.add(s.throttled)
	if !s.throttled {
		w.busy += s.took
	}
	d.note(s)
	switch {
	case d.cured(likely):
		c.size, c.sized, c.ceiling = d.from, now, 0
		c.next(now)
	case d.late.answers >= paced && d.late.share() >= d.early.share()/2 || w.all.answers >= patience:
		c.full = now
		if w.all.share() > plain {
			c.slow(now)
		} else { // the service serves more than these few requests
			c.size, c.sized, c.ceiling = min(max(paced, d.served/2), d.from/2), now, 0
			c.next(now)
		}
	default:
		return c.size
	}
	c.doubt = doubt{}
	return c.size
}

// note counts a response.
func (d *doubt) note(s sample) {
	if s.try < 2 {
		d.early.add(s.throttled)
	} else {
		d.late.add(s.throttled)
	}
}

func (d *doubt) answers() int { return d.early.answers + d.late.answers }

// cured reports whether late attempts are refused significantly less often than early attempts. The
// difference is significant if the shares of refusals differ by more than the given number of
// standard deviations. The standard deviation of one response is at most 1/2.
func (d *doubt) cured(deviations float64) bool {
	if d.late.answers == 0 || d.early.answers == 0 {
		return false
	}
	apart := deviations / 2 * math.Sqrt(1/float64(d.early.answers)+1/float64(d.late.answers))
	return d.early.share()-d.late.share() > apart
}
