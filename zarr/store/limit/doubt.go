package limit

import (
	"math"
	"time"
)

// doubt is what there is while nearly all requests are refused, and it is not known why: the
// service has too much to do, or it refuses the first tries of each request and serves later ones.
// A few requests in flight find out. A service with too much to do refuses all tries alike.
type doubt struct {
	from   int   // in flight before; 0: there is no doubt
	served int   // of the requests that were in flight then
	early  count // first and second tries
	late   count // later ones
}

// The numbers of a doubt.
const (
	patience = 4 * paced // answers that are compared at most, before and during a pace
	likely   = 3         // standard deviations between the shares of refusals of early and late tries
	certain  = 3.5       // the same during a pace, where answers are compared again and again
	trusted  = 256       // answers after which retry.Quota.Cures knows the same
)

// begin goes down to few requests in flight, and finds out.
func (c *control) begin(now time.Time) {
	c.remember(now)
	c.doubt = doubt{from: c.size}
	c.size, c.sized = paced, now
	c.next(now)
}

// settle is done while there is a doubt.
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
		} else { // it takes more than these few
			c.size, c.sized, c.ceiling = min(max(paced, d.served/2), d.from/2), now, 0
			c.next(now)
		}
	default:
		return c.size
	}
	c.doubt = doubt{}
	return c.size
}

// note counts an answer.
func (d *doubt) note(s sample) {
	if s.try < 2 {
		d.early.add(s.throttled)
	} else {
		d.late.add(s.throttled)
	}
}

func (d *doubt) answers() int { return d.early.answers + d.late.answers }

// cured reports that later tries are served, and that this is no chance: the shares of refusals
// differ by more than the given number of standard deviations. The standard deviation of one answer
// is at most a half.
func (d *doubt) cured(deviations float64) bool {
	if d.late.answers == 0 || d.early.answers == 0 {
		return false
	}
	apart := deviations / 2 * math.Sqrt(1/float64(d.early.answers)+1/float64(d.late.answers))
	return d.early.share()-d.late.share() > apart
}
