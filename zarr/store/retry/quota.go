package retry

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// Quota bounds how many requests are sent again, over everything that shares it: the stores of a
// process on one bucket, as the providers' Open has it. It is a number of repeats. Each takes one;
// a request that succeeds at last gives back what it took, so that faults that repeating helps
// against cost nothing, and any request that is answered adds a tenth. While there is none left,
// what fails keeps waiting as always, but is not sent meanwhile: ten tries of each of a thousand
// workers are then no ten thousand requests to a service that is down, and none of them fails
// sooner for it. What is not sent is not counted as a try while the bucket answers.
//
// docs/adr/017-retry-quota.md and 027-fleets.md have the reasons. A Quota may be used from any
// number of goroutines.
type Quota struct {
	mu   sync.Mutex
	most float64
	rate float64 // repeats a second
	left float64
	at   time.Time // when left was right

	firsts, thirds tally // what became of first tries, and of third and later ones
	all            tally // what became of the last tries, whichever they were

	answers atomic.Uint64 // requests that the bucket answered with anything but a failure
	silent  time.Time     // when the first request failed since the last answer; zero: none did
}

// The numbers of a store's own Quota and of the providers'.
const (
	quotaMost    = 500
	quotaRate    = 5
	quotaByReply = 0.1
)

// NewQuota makes a quota of 500 repeats, of which 5 come back each second.
func NewQuota() *Quota { return newQuota(quotaMost, quotaRate) }

func newQuota(most int, rate float64) *Quota {
	return &Quota{most: float64(most), rate: rate, left: float64(most)}
}

// unbounded returns a Quota that never runs out.
func unbounded() *Quota { return &Quota{most: math.Inf(1), left: math.Inf(1)} }

// Left is how many requests may be repeated now.
func (q *Quota) Left() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.fill()
	return int(q.left)
}

// take takes a repeat, if there is one.
func (q *Quota) take() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.fill()
	if q.left < 1 {
		return false
	}
	q.left--
	return true
}

// answered notes that the bucket answered a request, and gives back what the request took.
func (q *Quota) answered(taken int) {
	q.answers.Add(1)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.giveBack(taken)
}

// settled is answered for a request after so many tries that failed.
func (q *Quota) settled(before, taken int) {
	q.answers.Add(1)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.count(before, false)
	q.giveBack(taken)
}

func (q *Quota) giveBack(taken int) {
	q.left = min(q.most, q.left+float64(taken)+quotaByReply)
	q.silent = time.Time{}
}

// fill adds what has come back with time.
func (q *Quota) fill() {
	now := time.Now()
	if d := now.Sub(q.at); !q.at.IsZero() && d > 0 {
		q.left = min(q.most, q.left+q.rate*min(d, time.Hour).Seconds())
	}
	q.at = now
}

// tally is the share of tries that a service refused for its load, of late.
type tally struct{ tries, refused float64 }

// enough is how many third tries, or later ones, say something.
const enough = 4

// How many tries a tally remembers.
const (
	recent = 128 // about a flight of requests in a cloud
	lately = 32
)

func (t *tally) add(refused bool, last float64) {
	fade := 1 - 1/last
	t.tries, t.refused = fade*t.tries+1, fade*t.refused
	if refused {
		t.refused++
	}
}

func (t *tally) share() float64 {
	if t.tries == 0 {
		return 0
	}
	return t.refused / t.tries
}

// refused notes that a try was refused, after so many of the same request that failed.
func (q *Quota) refused(before int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.count(before, true)
	if q.silent.IsZero() {
		q.silent = time.Now()
	}
}

// silence is for how long the bucket has refused all requests.
func (q *Quota) silence() time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.silent.IsZero() {
		return 0
	}
	return time.Since(q.silent)
}

func (q *Quota) count(before int, refused bool) {
	q.all.add(refused, lately)
	switch {
	case before == 0:
		q.firsts.add(refused, recent)
	case before >= 2:
		q.thirds.add(refused, recent)
	}
}

// Cures reports whether repeating helps against refusals that have nothing to do with the load:
// most first tries are refused, and of third and later ones less than half as many. A service that
// has too much to do refuses both alike.
func (q *Quota) Cures() bool {
	if q == nil {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.cures()
}

func (q *Quota) cures() bool {
	first := q.firsts.share()
	return first > 0.5 && q.thirds.tries >= enough && q.thirds.share() < first/2
}

// The numbers of backoff. Waits are shorter while less than an eighth of the last tries is refused,
// down to an eighth: the first is of 9 ms on average then, less than a round trip. Where repeating
// cures refusals it is of 2 ms and the next of 5: there is no load to spread.
const (
	longWaits = 1.0 / 8
	shortest  = 1.0 / 8
	cured     = 1.0 / 32
)

// patience is what shares of a wait for a throttled service, and of the longest one, are to be
// kept. A service that answers most tries is not waited for as long as one that answers none,
// however often one request was refused.
func (q *Quota) patience() (wait, longest float64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.cures() || q.firsts.share() > 0.5 && q.thirds.tries < enough {
		return cured, 1
	}
	share := q.all.share()
	return min(1, max(shortest, share/longWaits)), max(shortest, share)
}
