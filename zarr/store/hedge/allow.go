package hedge

import (
	"errors"
	"math"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
)

const (
	share = 0.03            // number of second requests that each Get adds to the allowance
	burst = 4               // initial allowance
	saved = 16              // maximum allowance
	quiet = 5 * time.Second // time without second requests after a throttled request
)

// begin handles the start of a request.
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

// end handles the end of a request's first exchange.
func (s *Store) end(r *request, err error) {
	s.mu.Lock()
	delete(s.classes[r.class].waiting, r)
	s.mu.Unlock()
	s.failed(err)
}

// failed records the error of an exchange.
func (s *Store) failed(err error) {
	if errors.Is(err, fault.Throttled) {
		s.mu.Lock()
		s.throttled = time.Now()
		s.mu.Unlock()
	}
}

// took records the latency of a first byte. Once enough latencies are known to set the limit of the
// class, took schedules the second exchanges of the requests in flight.
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

// allow returns memory for a second exchange. If the second exchange may not start yet, it returns
// nil and the time, since the start of the request, at which to check again.
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

// refund returns the allowance for a second exchange that was not made.
func (s *Store) refund() {
	s.mu.Lock()
	s.allowed++
	s.mu.Unlock()
}

// scarce returns the time after which a second exchange for a request of the class may start. The
// time grows as the allowance shrinks below burst.
func (c *class) scarce(allowed float64) time.Duration {
	return time.Duration(float64(c.limit) * math.Sqrt(max(burst/max(allowed, 1), 1)))
}
