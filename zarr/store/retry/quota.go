package retry

import (
	"sync"
	"time"
)

// Quota bounds how many requests are sent again, over everything that shares it: the stores of a process on one bucket, as the providers' Open has it. It is a
// number of repeats. Each takes one; a request that succeeds at last gives back what it took, so that faults that repeating helps against cost
// nothing, and any request that is answered adds a tenth. While there is none left, what fails keeps waiting as always, and
// gives up as always, but is not sent meanwhile: ten tries of each of a thousand workers are then no ten thousand requests to a service that
// is down, and none of them fails sooner for it.
//
// docs/adr/017-retry-quota.md has the reasons. A Quota may be used from any number of goroutines.
type Quota struct {
	mu   sync.Mutex
	most float64
	rate float64 // repeats a second
	left float64
	at   time.Time // when left was right

	firsts, thirds tally // what became of first tries, and of third and later ones
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

// Left is how many requests may be repeated now.
func (q *Quota) Left() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.fill()
	return int(q.left)
}

// take takes a repeat, if there is one.
func (q *Quota) take() bool {
	if q == nil {
		return true
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.fill()
	if q.left < 1 {
		return false
	}
	q.left--
	return true
}

// answered gives back what a request took that has its answer.
func (q *Quota) answered(taken int) {
	if q == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.left = min(q.most, q.left+float64(taken)+quotaByReply)
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

// recent is how many tries a tally remembers: about a flight of requests in a cloud.
const recent = 128

func (t *tally) add(refused bool) {
	const fade = 1 - 1.0/recent
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

// tried notes what became of a try, after so many of the same request that failed.
func (q *Quota) tried(before int, refused bool) {
	if q == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case before == 0:
		q.firsts.add(refused)
	case before >= 2:
		q.thirds.add(refused)
	}
}

// Cures reports whether repeating helps against refusals that have nothing to do with the load: most first tries are refused, and of third and later ones
// less than half as many. A service that has too much to do refuses both alike. It is true of the first refusals of all, too.
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
	return first > 0.5 && q.thirds.share() < first/2
}

// The numbers of backoff. Waits are shorter while less than an eighth of first tries is refused, down to an eighth: the first is of 9 ms on average then, less than a
// round trip. Where repeating cures refusals it is of 2 ms and the next of 5: there is no load to spread.
const (
	longWaits = 1.0 / 8
	shortest  = 1.0 / 8
	cured     = 1.0 / 32
)

// patience is what shares of a wait for a throttled service, and of the longest one, are to be kept. A service that answers most first tries is not waited for
// as long as one that answers none, however often one request was refused.
func (q *Quota) patience() (wait, longest float64) {
	if q == nil {
		return 1, 1
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.cures() {
		return cured, 1
	}
	share := q.firsts.share()
	return min(1, max(shortest, share/longWaits)), max(shortest, share)
}
