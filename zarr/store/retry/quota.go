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
// docs/adr/015-retry-quota.md has the reasons. A Quota may be used from any number of goroutines.
type Quota struct {
	mu   sync.Mutex
	most float64
	rate float64 // repeats a second
	left float64
	at   time.Time // when left was right
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
