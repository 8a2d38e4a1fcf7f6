package limit

import (
	"math"
	"time"
)

// The numbers of the control. docs/adr/014-adaptive-limits.md says where they come from.
const (
	period    = 200 * time.Millisecond // of a window: the size is at most halved in it
	longest   = 10 * period            // of a window that sees fewer answers than there are slots
	least     = 2                      // that the size is cut to: one slow request is not to hold up all others
	plain     = 0.3                    // share of refusals among the last answers that halves the size, before the window is over
	tolerated = 0.08                   // share of a window that may be refusals without a cut
	few       = 0.01                   // share of a window that may be refusals for the size to grow below the ceiling
	gentle    = 0.05                   // growth in one window below the ceiling, and of the first probe above it
	probing   = time.Second            // between probes above the ceiling
	forgotten = time.Minute            // without refusals, until the ceiling is forgotten
	step      = 0.25                   // growth of a trial
	useful    = 0.5                    // share of a trial's slots that must add throughput
	restTrial = 5 * time.Second        // after a trial that added nothing; doubles to
	restMost  = 5 * time.Minute
	idle      = 10 * time.Second // without answers: what was measured before says nothing
)

// sample is what is known of a request that is over and was answered, or refused for its rate.
type sample struct {
	throttled bool
	timed     bool  // bytes and took are those of a value that was moved
	full      bool  // others waited for a slot meanwhile
	bytes     int64 // moved
	took      time.Duration
}

// control says how many requests should be in flight. It does no I/O, keeps no time and has no lock.
type control struct {
	size   int
	normal int // what to return to without trials
	most   int

	ceiling int       // the last size at which requests were refused; 0 is none
	refused time.Time // when the last request was
	late    float64   // share of refusals among the last answers
	cutAt   time.Time
	probed  time.Time
	probe   float64 // growth of the next probe

	window window
	trial  trial
}

func newControl(first, normal, most int) control {
	return control{size: first, normal: normal, most: max(most, normal, first)}
}

// window is what was answered since began.
type window struct {
	began   time.Time
	last    time.Time
	answers int
	refused int
	full    int
	skip    int           // answers to requests of before, in a trial
	busy    time.Duration // of requests that were not refused, added up
	wasted  time.Duration // of those that were
	moved   line          // of those that moved a value
}

// share is that of refusals.
func (w *window) share() float64 { return float64(w.refused) / float64(w.answers) }

// done notes an answer, and gives the size from now on.
func (c *control) done(s sample, now time.Time) int {
	w := &c.window
	if w.began.IsZero() || now.Sub(w.last) > idle || now.Before(w.last) {
		*w = window{began: now.Add(-s.took)}
		c.trial.end(c)
	}
	w.last = now
	recent := 1 / float64(max(32, c.size/2))
	if s.throttled {
		c.refused = now
		w.refused++
		w.wasted += s.took
		c.late += recent * (1 - c.late)
	} else {
		c.late -= recent * c.late
		w.busy += s.took
	}
	w.answers++
	if s.full {
		w.full++
	}
	switch {
	case s.throttled || !s.timed:
	case w.skip > 0:
		w.skip--
	default:
		w.moved.add(float64(s.bytes), s.took.Seconds(), 1)
	}
	over := now.Sub(w.began) >= period
	switch {
	case s.throttled && c.late > plain && since(now, c.cutAt) >= period:
		c.cut(c.size/2, now)
	case over && w.share() > tolerated && since(now, c.cutAt) >= period:
		c.cut(c.answered(now), now)
	case over && w.skip == 0 && (w.answers >= c.size || now.Sub(w.began) >= longest):
		c.grow(now)
	}
	return c.size
}

// since is long ago for the zero time, and for one that lies ahead after the clock was set back.
func since(now, then time.Time) time.Duration {
	if d := now.Sub(then); !then.IsZero() && d >= 0 {
		return d
	}
	return math.MaxInt64
}

// cut goes down to n, or to half, and remembers where it was as a ceiling.
func (c *control) cut(n int, now time.Time) {
	c.trial.end(c)
	c.ceiling, c.cutAt, c.probed, c.probe = c.size, now, now, gentle
	c.size = max(min(least, c.size), (c.size+1)/2, min(n, c.size-1))
	c.next(now)
}

// answered is how many requests at once were not refused on average, which is what the service takes (Little's law). Where all slots are taken it
// is at least their share of the slots' time.
func (c *control) answered(now time.Time) int {
	w := &c.window
	n := 0.0
	if d := now.Sub(w.began); d > 0 {
		n = float64(w.busy) / float64(d)
	}
	if all := w.busy + w.wasted; c.needed() && all > 0 {
		n = max(n, float64(c.size)*float64(w.busy)/float64(all))
	}
	return int(math.Ceil(n))
}

// needed reports whether requests waited for slots.
func (c *control) needed() bool { return 2*c.window.full >= c.window.answers }

// next begins another window.
func (c *control) next(now time.Time) { c.window = window{began: now, last: now} }

// grow is called when a window is over that ends without a cut.
func (c *control) grow(now time.Time) {
	w := &c.window
	if c.ceiling > 0 && since(now, c.refused) >= forgotten {
		c.ceiling = 0
	}
	switch {
	case !c.needed(): // more slots would not be used
	case c.ceiling > 0 && c.size < c.ceiling && w.share() <= few:
		c.size = min(c.size+more(c.size, gentle), c.ceiling)
		c.probed = now
	case c.ceiling > 0:
		if w.share() <= tolerated/2 && since(now, c.probed) >= probing {
			c.size = min(c.size+more(c.size, c.probe), c.most)
			c.ceiling, c.probed, c.probe = max(c.ceiling, c.size), now, min(2*c.probe, 1)
		}
	case w.refused > 0:
	case c.size < c.normal:
		c.size = min(2*c.size, c.normal)
	default:
		c.trial.step(c, now)
		return // it began the next window
	}
	c.next(now)
}

// more is a share of n, at least one.
func more(n int, share float64) int { return max(1, int(float64(n)*share)) }

// trial finds out whether more requests in flight move more: a quarter more for one window, which is kept if at least
// half of them were of use.
type trial struct {
	before int  // the size that it is compared with; 0: there is no trial
	ref    line // what requests took at that size
	again  time.Time
	rest   time.Duration
}

// end gives up a trial under way.
func (t *trial) end(c *control) {
	if t.before > 0 {
		c.size = min(c.size, t.before)
		t.before = 0
	}
}

// step judges a trial that is over, and begins one.
func (t *trial) step(c *control, now time.Time) {
	ref := c.window.moved
	if t.before > 0 && ref.n > 0 {
		grown := float64(c.size) / float64(t.before)
		slower := ref.y / max(t.ref.predict(ref), 1e-9)
		if grown/slower < 1+useful*(grown-1) {
			t.end(c)
			t.rest = min(max(2*t.rest, restTrial), restMost)
			t.again = now.Add(t.rest)
		} else {
			t.rest = 0
		}
	}
	t.before = 0
	c.next(now)
	if c.size >= c.most || ref.n == 0 || now.Before(t.again) && t.again.Sub(now) <= restMost {
		return
	}
	t.before, t.ref = c.size, ref
	c.size = min(c.size+more(c.size, step), c.most)
	c.window.skip = c.size
}
