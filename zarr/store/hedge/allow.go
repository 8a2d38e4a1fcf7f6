package hedge

import (
	"errors"
	"math"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
)

const (
	share = 0.03            // of all Gets may be made twice
	burst = 4               // of them at the beginning
	saved = 16              // of them at most
	quiet = 5 * time.Second // after a throttled request no second one is made
)

// begin is called when a request begins.
func (s *Store) begin(r *request) {
	s.mu.Lock()
	s.allowed = min(s.allowed+share, saved)
	c := &s.classes[r.class]
	limit := c.limit
	if limit == 0 {
		if c.waiting == nil {
			c.waiting = map[*request]struct{}{}
		}
		c.waiting[r] = struct{}{}
	}
	s.mu.Unlock()
	if limit > 0 {
		r.wait(limit / 2)
	}
}

// end is called when its first exchange has ended.
func (s *Store) end(r *request, err error) {
	s.mu.Lock()
	delete(s.classes[r.class].waiting, r)
	s.mu.Unlock()
	s.failed(err)
}

// failed takes the outcome of an exchange into account.
func (s *Store) failed(err error) {
	if errors.Is(err, fault.Throttled) {
		s.mu.Lock()
		s.throttled = time.Now()
		s.mu.Unlock()
	}
}

// took takes a first byte into account. When it is the one by which it is known what is slow, the
// requests under way learn it.
func (s *Store) took(class int, d time.Duration) {
	s.mu.Lock()
	c := &s.classes[class]
	c.add(d, s.least)
	limit, waiting := c.limit, c.waiting
	if limit > 0 {
		c.waiting = nil
	}
	s.mu.Unlock()
	if limit > 0 {
		for r := range waiting {
			r.wait(limit)
		}
	}
}

// allow gives memory for a second exchange, or nil where there may be none yet: it is asked again
// after wait, counted from the beginning of the request.
func (s *Store) allow(r *request) (hold *concurrency.Hold, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &s.classes[r.class]
	took := time.Since(r.begun)
	limit, later := c.scarce(s.allowed), took+c.limit/4
	switch {
	case took < limit:
		return nil, min(later, limit)
	case s.allowed < 1, c.isSlow(), !s.throttled.IsZero() && time.Since(s.throttled) < quiet:
		return nil, later
	case s.o.Free != nil && !s.o.Free():
		return nil, later
	}
	hold, ok := s.o.Budget.Try(concurrency.Task, concurrency.Need(int(r.most)))
	if !ok {
		return nil, later
	}
	s.allowed--
	return hold, 0
}

// refund is for a second exchange that was allowed and not made.
func (s *Store) refund() {
	s.mu.Lock()
	s.allowed++
	s.mu.Unlock()
}

// scarce is after how long a request of the class gets one of the second exchanges that are left:
// the fewer they are, the later.
func (c *class) scarce(allowed float64) time.Duration {
	return time.Duration(float64(c.limit) * math.Sqrt(max(burst/max(allowed, 1), 1)))
}
