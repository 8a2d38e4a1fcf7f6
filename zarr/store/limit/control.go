package limit

import (
	"math"
	"time"
)

// control computes the size: the number of requests that should be in flight. It is a pure
// computation without I/O, clock or lock.
//
// Only requests that were sent under the current size are used. Responses with the same time have
// no meaningful order, so control changes the size only when the time advances.
type control struct {
	size   int
	normal int         // size without trials
	most   int         // maximum size
	far    int         // initial normal; below it a trial doubles the size
	early  int         // number of first responses left that can show that the service is near
	cured  func() bool // reports whether refusals are unrelated to the size

	sized   time.Time // time at which size was last changed
	cutAt   time.Time
	ceiling int       // latest size at which requests were refused; 0 means none
	refused time.Time // time of the last refusal
	probed  time.Time
	probe   float64 // growth of the next probe
	clean   int     // number of latest windows without a refusal

	window window
	trial  trial
	doubt  doubt
	pace   pace
	full   time.Time // time at which a doubt last ended because the service is overloaded
	cuts   int64     // number of reductions because of refusals
	trust  int       // number of responses for which refusals count as unrelated to the load
}

// Constants of control. Their origin is documented in docs/adr/016-adaptive-limits.md.
const (
	period    = 200 * time.Millisecond // minimum window; the size is halved at most once in it
	longest   = 10 * period            // maximum length of a window with fewer responses than slots
	least     = 2                      // minimum size, so that a slow request does not block all others
	round     = 32                     // minimum responses of a round, half of those in flight
	hopeless  = 0.9                    // share of refusals in a round that starts a doubt
	plain     = 0.3                    // share of refusals in a round that halves the size early
	tolerated = 0.085                  // share of refusals in a window that has no effect
	few       = 0.01                   // share of refusals up to which a large size grows
	fewer     = 0.4                    // the same for a small size, in requests
	// gentle is the relative growth per window below the ceiling, and the growth of the first probe
	// above the ceiling. It doubles with every window without refusals, up to brisk.
	gentle    = 0.05
	brisk     = 0.2
	sure      = 2               // windows without refusals after which a probe does not wait
	probing   = time.Second     // time between probes above the ceiling
	forgotten = time.Minute     // time without refusals after which the ceiling is removed
	needed    = 128             // more slots are useful if at least one in this many requests waited
	step      = 0.25            // growth of the size in a trial
	useful    = 0.5             // fraction of a trial's growth by which the throughput must grow
	restTrial = 5 * time.Second // time after a trial without gain; it doubles up to restMost
	restMost  = 5 * time.Minute
	idle      = 10 * time.Second     // time without responses after which measurements are dropped
	near      = 2 * time.Millisecond // reads from a cloud take longer than this
	nearby    = 16                   // reads in flight to a nearer service
)

func newControl(first, normal, most int, cured func() bool) control {
	return control{size: first, normal: normal, far: normal, most: max(most, normal, first), cured: cured}
}

// window counts the responses, since the time began, to requests that were sent under the current
// size.
type window struct {
	began  time.Time
	last   time.Time // time of the last response, for any size
	all    count
	round  count         // the most recent responses of all
	waits  int           // number of requests that waited for a slot
	busy   time.Duration // total time of requests that were not refused
	wasted time.Duration // total time of refused requests
	moved  line          // requests that transferred a value
}

// count is a number of responses and the number of refusals among them.
type count struct{ answers, refused int }

func (n *count) add(throttled bool) {
	n.answers++
	if throttled {
		n.refused++
	}
}

// share returns the share of refusals.
func (n count) share() float64 { return float64(n.refused) / float64(max(1, n.answers)) }

// share reduces the initial size for a client that is one of n.
func (c *control) share(n int, now time.Time) {
	if n < 2 {
		return
	}
	if c.size >= paced*n {
		c.size /= n
		return
	}
	c.pace.spread(float64(c.size)/float64(n)/assumed.Seconds(), now)
	c.refused = now // else the first served request would end the pace
	c.size = c.pace.size()
}

// done handles an outcome and returns the new size.
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
		return c.size // the request was sent under another size
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

// sample is the outcome of a request that got a response or was refused because of load.
type sample struct {
	sent      time.Time
	throttled bool
	timed     bool  // set if a value was transferred, so that bytes and took are valid
	try       int   // number of failed attempts of the request; known only during a doubt or a pace
	waits     int   // number of requests that waited for a slot or the pace since the last response
	bytes     int64 // number of bytes transferred
	took      time.Duration
}

// approach reduces the size if one of the first requests is faster than any request to a cloud,
// which means that the service is on the same machine or network. A few requests in flight saturate
// such a service, and a small size avoids needless connections. Trials increase the size again if
// that is useful.
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

// decide evaluates the window up to now.
func (c *control) decide(now time.Time) {
	w := &c.window
	age := now.Sub(w.began)
	flight := w.round.answers >= max(round, c.size/2)
	full := age >= period && w.all.answers >= c.size || age >= longest && w.all.answers > 0
	may := w.all.refused > 0 && c.may(now)
	switch {
	case may && flight && w.round.share() > plain:
		c.cut(c.size/2, now)
	case may && full && w.all.answers >= min(round, c.size) && w.all.share() > tolerated:
		c.cut(c.answered(now), now)
	case full:
		c.grow(now)
	}
	if flight {
		c.window.round = count{}
	}
}

// may reports whether a refusal is allowed to reduce the size now.
func (c *control) may(now time.Time) bool { return since(now, c.cutAt) >= period && !c.cures(now) }

// hopeless reports whether nearly all requests of a round were refused. The size is then reduced
// immediately, because the refused requests would be sent again and refused again.
func (c *control) hopeless(now time.Time) bool {
	r := c.window.round
	return r.answers >= max(round, c.size/2) && r.share() > hopeless && c.size > paced && c.may(now)
}

// since returns the duration from then to now. If then is zero, or is after now because the clock
// was set back, since returns the maximum duration.
func since(now, then time.Time) time.Duration {
	if d := now.Sub(then); !then.IsZero() && d >= 0 {
		return d
	}
	return math.MaxInt64
}

// cut reduces the size to n, but at most by half, and makes the old size the ceiling. If the new
// size is less than paced, it starts a pace instead.
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

// remember makes the current size the ceiling.
func (c *control) remember(now time.Time) {
	c.cuts++
	c.trial.end(c)
	c.ceiling, c.cutAt, c.probed, c.probe, c.clean = max(c.size, 2*paced), now, now, gentle, 0
}

// slow starts a pace at the rate of the requests that were served.
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

// spaced does the work of done while requests are spaced: it records the result of a request.
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
		return c.size // the request was sent under another rate
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

// leave ends the pace. The refusals that the pace caused say little about the size.
func (c *control) leave(free bool, now time.Time) {
	c.size, c.pace.rate, c.sized, c.doubt = paced, 0, now, doubt{}
	if c.ceiling = max(c.ceiling, c.normal); free {
		c.ceiling = 0
	}
	c.next(now)
}

// cures reports whether refusals are unrelated to the load. It returns false for some time after an
// overload was detected.
func (c *control) cures(now time.Time) bool {
	return c.trust > 0 || since(now, c.full) >= forgotten && c.cured()
}

// answered returns the average number of served requests in flight, which is the service's capacity
// (Little's law). If all slots are in use, the result is at least the number of slots multiplied by
// the share of the slots' time that served requests took.
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

// needed reports whether enough requests waited for slots. A few waiting requests are not
// sufficient: a call with slightly more tasks than slots has a few as well.
func (c *control) needed() bool {
	return needed*c.window.waits >= c.window.all.answers && c.window.waits > 0
}

// next starts another window.
func (c *control) next(now time.Time) { c.window = window{began: now, last: now} }

// grow ends a window that did not reduce the size, and may increase the size.
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
	case !c.needed(): // more slots would be unused
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
		return // step started the next window
	}
	c.next(now)
}

// few returns the share of refusals up to which the size grows below the ceiling. The share is
// larger for small sizes, so that a client with fewer requests in flight than other clients catches
// up.
func (c *control) few() float64 { return max(few, fewer/float64(c.size)) }

// growth returns the growth per window below the ceiling.
func (c *control) growth() float64 { return min(gentle*math.Exp2(float64(c.clean-1)), brisk) }

// more returns the given share of n, and at least 1. A size n grows by this number.
func more(n int, share float64) int { return max(1, int(float64(n)*share)) }

// trial checks whether more requests in flight increase the throughput. For one window it increases
// the size by a quarter, or doubles a size below far. The larger size is kept if the throughput
// grows by at least half the percentage of the size.
type trial struct {
	before int  // size to compare with; 0 means that no trial is running
	ref    line // requests at that size
	again  time.Time
	rest   time.Duration
}

// end gives up a running trial.
func (t *trial) end(c *control) {
	if t.before > 0 {
		c.size = min(c.size, t.before)
		t.before = 0
	}
}

// step evaluates a finished trial and starts another.
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
