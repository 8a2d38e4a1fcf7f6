package retry

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// Quota limits the retries of all stores that share it, such as those of a process on one bucket.
// Each retry reduces the quota by one. When a request succeeds, its retries are added back to the
// quota, so faults that disappear after a retry cost nothing. In addition, any response adds a
// tenth of a retry.
//
// While the quota is empty, failed requests wait as usual but are not sent. A service that is down
// therefore does not receive ten attempts from each of a thousand workers. Unsent attempts do not
// count against the limits while the bucket responds to other requests.
//
// docs/adr/017-retry-quota.md and docs/adr/027-fleets.md document the reasons. A Quota is safe for
// concurrent use.
type Quota struct {
	mu   sync.Mutex
	most float64
	rate float64 // number of retries added per second
	left float64
	at   time.Time // time at which left was computed

	firsts, thirds tally // outcomes of first attempts, and of third and later attempts
	all            tally // outcomes of the most recent attempts

	answers atomic.Uint64 // number of requests with a response other than a failure
	silent  time.Time     // time of the first refusal since the last response, or zero
	denied  time.Time     // time of the last refusal
}

// Constants of the default quota.
const (
	quotaMost    = 500
	quotaRate    = 5
	quotaByReply = 0.1
)

// NewQuota returns a quota of at most 500 retries. It is refilled by 5 retries per second.
func NewQuota() *Quota { return newQuota(quotaMost, quotaRate) }

func newQuota(most int, rate float64) *Quota {
	return &Quota{most: float64(most), rate: rate, left: float64(most)}
}

// unbounded returns a Quota that is never exhausted.
func unbounded() *Quota { return &Quota{most: math.Inf(1), left: math.Inf(1)} }

// Left returns the number of requests that may be retried now.
func (q *Quota) Left() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.fill()
	return int(q.left)
}

// take reduces the quota by one retry. It returns false if the quota is exhausted.
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

// answered records a response. It returns the retries of the request to the quota; taken is their
// number.
func (q *Quota) answered(taken int) {
	q.answers.Add(1)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.giveBack(taken)
}

// settled records the response that ended a request, as answered does, and also counts it in the
// tallies. failed is the number of failed attempts before that response.
func (q *Quota) settled(failed, taken int) {
	q.answers.Add(1)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.count(failed, false)
	q.giveBack(taken)
}

func (q *Quota) giveBack(taken int) {
	q.left = min(q.most, q.left+float64(taken)+quotaByReply)
	q.silent = time.Time{}
}

// fill adds the retries for the time since the last call.
func (q *Quota) fill() {
	now := time.Now()
	if d := now.Sub(q.at); !q.at.IsZero() && d > 0 {
		q.left = min(q.most, q.left+q.rate*min(d, time.Hour).Seconds())
	}
	q.at = now
}

// tally counts recent attempts and how many of them the service refused because of its load.
type tally struct{ tries, refused float64 }

// enough is the minimum number of third or later attempts whose share of refusals is significant.
const enough = 4

// Numbers of recent attempts that a tally counts.
const (
	recent = 128 // about the number of requests in flight to a cloud
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

// refused records a refused attempt. failed is the number of failed attempts of the request before
// it.
func (q *Quota) refused(failed int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.count(failed, true)
	now := time.Now()
	if q.silent.IsZero() || now.Sub(q.denied) > unused {
		q.silent = now
	}
	q.denied = now
}

// unused is the time without refusals after which the bucket is assumed to have been unused. It is
// longer than any wait between attempts.
const unused = 2 * longestHint

// silence returns how long the bucket has refused all requests.
func (q *Quota) silence() time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.silent.IsZero() {
		return 0
	}
	return time.Since(q.silent)
}

func (q *Quota) count(failed int, refused bool) {
	q.all.add(refused, lately)
	switch {
	case failed == 0:
		q.firsts.add(refused, recent)
	case failed >= 2:
		q.thirds.add(refused, recent)
	}
}

// Cures reports whether the service refuses requests regardless of the load, and serves them after
// retries. Cures returns true if most first attempts are refused, but the share of refusals among
// third and later attempts is less than half as large. An overloaded service refuses first and
// later attempts alike.
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

// While less than an eighth of the recent attempts are refused, the bounds of waits are reduced, to
// no less than an eighth. At an eighth the first wait averages 9 ms, less than a round trip. If
// refusals are unrelated to the load ([Quota.Cures]), the bounds are lower still: the first wait
// averages 2 ms and the next 5 ms.
const (
	longWaits = 1.0 / 8
	shortest  = 1.0 / 8
	cured     = 1.0 / 32
)

// waitFactors returns the factors for the bound of a wait after throttling and for the longest
// wait. Waits are shorter for a service that responds to most attempts than for one that refuses
// all, even for a request that was refused often.
func (q *Quota) waitFactors() (wait, longest float64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.cures() || q.firsts.share() > 0.5 && q.thirds.tries < enough {
		return cured, 1
	}
	share := q.all.share()
	return min(1, max(shortest, share/longWaits)), max(shortest, share)
}
