package limit

import (
	"math"
	"time"
)

// The numbers of the control. docs/adr/016-adaptive-limits.md says where they come from.
const (
	period    = 200 * time.Millisecond // of a window: the size is at most halved in it
	longest   = 10 * period            // of a window that sees fewer answers than there are slots
	least     = 2                      // that the size is cut to: one slow request is not to hold up all others
	round     = 32                     // answers of a round, at least: it is half a flight
	hopeless  = 0.9                    // share of refusals in a round after which few requests find out what the service takes
	plain     = 0.3                    // share of refusals in a round that halves the size, before the window is over
	tolerated = 0.085                  // share of a window that may be refusals without a cut
	few       = 0.01                   // share of a window that may be refusals for the size to grow below the ceiling, where it is great
	fewer     = 0.4                    // the same, in requests of those in flight, where it is not
	gentle    = 0.05                   // growth in one window below the ceiling, and of the first probe above it; it doubles with each window without a refusal, up to
	brisk     = 0.2
	sure      = 2               // windows without a refusal after which a probe is not waited for
	probing   = time.Second     // between probes above the ceiling
	forgotten = time.Minute     // without refusals, until the ceiling is forgotten
	needed    = 128             // answers to a request that waited for a slot, at most, where more slots would be used
	step      = 0.25            // growth of a trial
	useful    = 0.5             // share of a trial's slots that must add throughput
	restTrial = 5 * time.Second // after a trial that added nothing; doubles to
	restMost  = 5 * time.Minute
	idle      = 10 * time.Second     // without answers: what was measured before says nothing
	near      = 2 * time.Millisecond // that no read from a cloud takes less than
	nearby    = 16                   // reads in flight at a service that is nearer
)

// sample is what is known of a request that is over and was answered, or refused for its rate.
type sample struct {
	sent      time.Time
	throttled bool
	timed     bool  // bytes and took are those of a value that was moved
	try       int   // tries of the same request that failed before; known only while there is a doubt or a pace
	waits     int   // requests that waited for a slot, or for the pace, since the last answer
	bytes     int64 // moved
	took      time.Duration
}

// control says how many requests should be in flight. It does no I/O, keeps no time and has no
// lock.
//
// It looks only at requests that were sent under the present size, and decides between two
// instants: of answers that come at one moment the order says nothing.
type control struct {
	size   int
	normal int         // what to return to without trials
	most   int         // never more
	far    int         // what normal was at first: up to it a trial is of twice as many
	early  int         // of the first answers, those that may still say that the service is near
	cured  func() bool // refusals have nothing to do with the size

	sized   time.Time // when the size became this
	cutAt   time.Time
	ceiling int       // the last size at which requests were refused; 0 is none
	refused time.Time // when the last request was
	probed  time.Time
	probe   float64 // growth of the next probe
	clean   int     // windows without a refusal, up to the last

	window window
	trial  trial
	doubt  doubt
	pace   pace
	full   time.Time // when a doubt was last settled: the service had too much to do
	trust  int       // answers for which refusals have nothing to do with the rate
}

func newControl(first, normal, most int, cured func() bool) control {
	return control{size: first, normal: normal, far: normal, most: max(most, normal, first), cured: cured}
}

// window is what was answered since began, of requests of the present size.
type window struct {
	began  time.Time
	last   time.Time // any answer
	all    count
	round  count         // the last answers of all
	waits  int           // requests that waited for a slot
	busy   time.Duration // of requests that were not refused, added up
	wasted time.Duration // of those that were
	moved  line          // of those that moved a value
}

// count is of answers, and of those that were refusals.
type count struct{ answers, refused int }

func (n *count) add(throttled bool) {
	n.answers++
	if throttled {
		n.refused++
	}
}

// share is that of refusals.
func (n count) share() float64 { return float64(n.refused) / float64(max(1, n.answers)) }

// share begins with the share of one of n clients.
func (c *control) share(n int, now time.Time) {
	if n < 2 {
		return
	}
	if c.size >= paced*n {
		c.size /= n
		return
	}
	c.pace.begin(float64(c.size)/float64(n)/assumed.Seconds(), assumed, now)
	c.size = c.pace.size()
}

// done notes an answer, and gives the size from now on.
func (c *control) done(s sample, now time.Time) int {
	w := &c.window
	c.trust = max(0, c.trust-1)
	switch {
	case c.pace.rate > 0:
		return c.spaced(s, now)
	case c.doubt.from > 0:
		return c.settle(s, now)
	case w.began.IsZero() || now.Sub(w.last) > idle || now.Before(w.last):
		c.trial.end(c)
		*w, c.sized = window{began: s.sent}, time.Time{}
	case now.After(w.last):
		was := c.size
		if c.decide(now); c.size != was {
			c.sized = now
		}
	}
	w.last, w.waits = now, w.waits+s.waits
	if s.throttled {
		c.refused = now
	}
	c.approach(s, now)
	if !c.sized.IsZero() && s.sent.Before(c.sized) {
		return c.size // it says nothing of the present size
	}
	w.all.add(s.throttled)
	w.round.add(s.throttled)
	if s.throttled {
		if w.wasted += s.took; c.hopeless(now) {
			c.begin(now)
		}
		return c.size
	}
	w.busy += s.took
	if s.timed {
		w.moved.add(float64(s.bytes), s.took.Seconds(), 1)
	}
	return c.size
}

// approach begins anew with few requests in flight where one of the first took less time than any
// from a cloud, as on the same machine or network: few keep such a service as busy as many would,
// and connections need not be opened. Where more are of use, trials find them.
func (c *control) approach(s sample, now time.Time) {
	if c.early == 0 || !s.timed {
		return
	}
	c.early--
	if s.took < near && c.size > nearby && c.size == c.normal && c.ceiling == 0 {
		c.trial.end(c)
		c.early, c.size, c.normal, c.sized = 0, nearby, nearby, now
		c.next(now)
	}
}

// decide looks at what came before now.
func (c *control) decide(now time.Time) {
	w := &c.window
	age := now.Sub(w.began)
	flight := w.round.answers >= max(round, c.size/2)
	may := w.all.refused > 0 && c.may(now)
	switch {
	case may && flight && w.round.share() > plain:
		c.cut(c.size/2, now)
	case may && age >= period && w.all.answers >= min(round, c.size) && w.all.share() > tolerated:
		c.cut(c.answered(now), now)
	case age >= period && w.all.answers >= c.size, age >= longest && w.all.answers > 0:
		c.grow(now)
	}
	if flight {
		c.window.round = count{}
	}
}

// may reports whether refusals may lead to a cut now.
func (c *control) may(now time.Time) bool { return since(now, c.cutAt) >= period && !c.cures(now) }

// hopeless reports whether nearly all of a round was refused. That is acted on at once: what was
// refused would come back otherwise, and all of it be refused again.
func (c *control) hopeless(now time.Time) bool {
	r := c.window.round
	return r.answers >= max(round, c.size/2) && r.share() > hopeless && c.size > paced && c.may(now)
}

// since is long ago for the zero time, and for one that lies ahead after the clock was set back.
func since(now, then time.Time) time.Duration {
	if d := now.Sub(then); !then.IsZero() && d >= 0 {
		return d
	}
	return math.MaxInt64
}

// cut goes down to n, or to half, and remembers where it was as a ceiling. Below a few in flight
// there is a pace instead.
func (c *control) cut(n int, now time.Time) {
	c.remember(now)
	n = max(min(least, c.size), (c.size+1)/2, min(n, c.size-1))
	if n < paced {
		c.slow(now)
		return
	}
	c.size = n
	c.next(now)
}

// remember makes the size a ceiling.
func (c *control) remember(now time.Time) {
	c.trial.end(c)
	c.ceiling, c.cutAt, c.probed, c.probe, c.clean = max(c.size, 2*paced), now, now, gentle, 0
}

// slow begins a pace at the rate of the requests that were served.
func (c *control) slow(now time.Time) {
	w := &c.window
	served := w.all.answers - w.all.refused
	var took time.Duration
	if served > 0 {
		took = w.busy / time.Duration(served)
	}
	c.pace.begin(float64(served)/max(now.Sub(w.began), time.Millisecond).Seconds(), took, now)
	c.size = c.pace.size()
	c.next(now)
}

// spaced is done while there is a pace.
func (c *control) spaced(s sample, now time.Time) int {
	c.window.last = now
	if s.throttled {
		c.refused = now
	}
	if c.doubt.note(s); c.doubt.cured(certain) {
		c.trust, c.full = trusted, time.Time{}
		c.leave(true, now)
		return c.size
	}
	if c.doubt.answers() >= patience {
		c.doubt = doubt{}
	}
	if s.sent.Before(c.pace.cutAt) {
		return c.size // it says nothing of the present rate
	}
	switch {
	case s.throttled:
		c.pace.refused(now)
	default:
		c.pace.served(s.took, s.waits > 0)
	}
	c.size = c.pace.size()
	if free := since(now, c.refused) >= forgotten; free || c.pace.inFlight() >= paced {
		c.leave(free || c.pace.young, now)
	}
	return c.size
}

// leave ends the pace. What was too much before it says little of the size from now on.
func (c *control) leave(free bool, now time.Time) {
	c.size, c.pace.rate, c.sized, c.doubt = paced, 0, now, doubt{}
	if c.ceiling = max(c.ceiling, c.normal); free {
		c.ceiling = 0
	}
	c.next(now)
}

// cures reports whether refusals have nothing to do with the load. Where that was found to be
// otherwise, it is not believed soon again.
func (c *control) cures(now time.Time) bool {
	return c.trust > 0 || since(now, c.full) >= forgotten && c.cured()
}

// answered is how many requests at once were not refused on average, which is what the service
// takes (Little's law). Where all slots are taken it is at least their share of the slots' time.
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

// needed reports whether requests waited for slots. Few of them do where a call has a few tasks
// more than there are slots.
func (c *control) needed() bool {
	return needed*c.window.waits >= c.window.all.answers && c.window.waits > 0
}

// next begins another window.
func (c *control) next(now time.Time) { c.window = window{began: now, last: now} }

// grow is called when a window is over that ends without a cut.
func (c *control) grow(now time.Time) {
	w := &c.window
	cures := w.all.refused > 0 && c.cures(now)
	if c.ceiling > 0 && (cures || since(now, c.refused) >= forgotten) {
		c.ceiling = 0
	}
	if c.clean++; w.all.refused > 0 {
		c.clean = 0
	}
	switch {
	case !c.needed(): // more slots would not be used
	case c.ceiling > 0 && c.size < c.ceiling && w.all.share() <= c.few():
		c.size = min(c.size+more(c.size, c.growth()), c.ceiling)
		c.probed = now
	case c.ceiling > 0:
		if w.all.share() <= tolerated/2 && (since(now, c.probed) >= probing || c.clean >= sure && c.size < 4*paced) {
			c.size = min(c.size+more(c.size, c.probe), c.most)
			c.ceiling, c.probed, c.probe = max(c.ceiling, c.size), now, min(2*c.probe, 1)
		}
	case w.all.refused > 0 && (!cures || c.size >= c.normal):
		if c.size < c.normal && w.all.share() <= c.few() {
			c.size = min(c.size+more(c.size, gentle), c.normal)
		}
	case c.size < c.normal:
		c.size = min(2*c.size, c.normal)
	default:
		c.trial.step(c, now)
		return // it began the next window
	}
	c.next(now)
}

// few is the share of a window that may be refusals for the size to grow below the ceiling. With
// few in flight it is greater: so a client that has fewer than others gains on them.
func (c *control) few() float64 { return max(few, fewer/float64(c.size)) }

// growth is the growth in one window below the ceiling.
func (c *control) growth() float64 { return min(gentle*math.Exp2(float64(c.clean-1)), brisk) }

// more is a share of n, at least one.
func more(n int, share float64) int { return max(1, int(float64(n)*share)) }

// trial finds out whether more requests in flight move more: a quarter more for one window, which
// is kept if at least half of them were of use. From few at a service that is near it is twice as
// many.
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

// step decides about a trial that is over, and begins one.
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
	if c.size < c.far {
		c.size = min(2*c.size, c.far)
		return
	}
	c.size = min(c.size+more(c.size, step), c.most)
}
