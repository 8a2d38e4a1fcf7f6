package hedge

import (
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
)

// allow returns memory for a second exchange. If the second exchange may not start yet, it returns
// nil and the time, since the start of the request, at which to check again.
func (s *Store) allow(r *request) (hold *concurrency.Hold, wait time.Duration) {
	part := s.part(r.key)
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &s.classes[r.class]
	took := time.Since(r.begun)
	limit := s.limit(c)
	later := took + max(limit, took)/4 // a request may wait for its slot for minutes
	if s.used < often {
		limit = scarce(limit, s.allowed)
	}
	switch {
	case took < limit:
		return nil, min(later, limit)
	case s.allowed < 1: // later requests save more time
		return nil, took + limit
	case c.isSlow(), s.quiet(part):
		return nil, later
	case s.o.Free != nil && !s.o.Free():
		return nil, later
	}
	hold, ok := s.o.Budget.Try(concurrency.Task, concurrency.Need(int(r.room)))
	if !ok {
		return nil, later
	}
	s.allowed--
	return hold, 0
}

const (
	share = 0.03            // number of second requests that each Get adds to the allowance
	rises = 0.099           // the same if second requests are used often
	often = 0.6             // share of second requests that are used
	votes = 16              // number of second requests that determine the share
	burst = 4               // initial allowance
	saved = 16              // maximum allowance
	quiet = 5 * time.Second // time without second requests of a part after a throttled one
)

// quiet reports whether a request of the part was throttled recently.
func (s *Store) quiet(part any) bool {
	at, ok := s.throttled[part]
	return ok && time.Since(at) < quiet
}

// refund returns the allowance for a second exchange that was not made.
func (s *Store) refund() {
	s.mu.Lock()
	s.allowed++
	s.mu.Unlock()
}

// scarce returns the time after which a second exchange may start. It is longer than limit if the
// allowance is below burst.
func scarce(limit time.Duration, allowed float64) time.Duration {
	return time.Duration(float64(limit) * math.Sqrt(max(burst/max(allowed, 1), 1)))
}

// begin handles the start of a request.
func (s *Store) begin(r *request) {
	s.mu.Lock()
	s.allowed = min(s.allowed+s.share(), saved)
	c := &s.classes[r.class]
	limit := s.limit(c)
	if c.limit == 0 {
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

// share returns the number of second requests that a Get adds to the allowance. It rises from share
// to rises while more than half of the second requests are used: the first requests are then slow
// by chance, and not because the store is slow.
func (s *Store) share() float64 {
	return share + (rises-share)*min(max(0, (s.used-0.5)/(often-0.5)), 1)
}

// limit returns the time after which a request of the class is slow, or 0 if it is unknown.
func (s *Store) limit(c *class) time.Duration {
	if c.limit > 0 {
		return c.limit
	}
	return early(s.early)
}

// won records whether a second request was used.
func (s *Store) won(won bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used -= s.used / votes
	if won {
		s.used += 1.0 / votes
	}
}

// end handles the end of a request's first exchange.
func (s *Store) end(r *request, err error) {
	s.mu.Lock()
	delete(s.classes[r.class].waiting, r)
	s.mu.Unlock()
	s.failed(r.key, err)
}

// failed records the error of an exchange.
func (s *Store) failed(key string, err error) {
	if !errors.Is(err, fault.Throttled) {
		return
	}
	part := s.part(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.throttled, func(_ any, at time.Time) bool { return time.Since(at) >= quiet })
	s.throttled[part] = time.Now()
}

// part returns the part of a key.
func (s *Store) part(key string) any {
	if s.o.Part == nil {
		return nil
	}
	return s.o.Part(key)
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
	s.soon(d)
	if limit > 0 {
		for r := range waiting {
			r.wait(limit)
		}
	}
}

// soon records one of the first latencies, which may be that of an absent key. Absent keys are
// found sooner than values, so they do not count in a class. Once enough latencies are known, soon
// schedules the second exchanges of the requests in flight.
func (s *Store) soon(d time.Duration) {
	s.mu.Lock()
	if len(s.early) == enough {
		s.mu.Unlock()
		return
	}
	s.early = append(s.early, d)
	limit, waiting := early(s.early), []*request(nil)
	if len(s.early) == known && limit > 0 {
		for i := range s.classes {
			waiting = slices.AppendSeq(waiting, maps.Keys(s.classes[i].waiting))
		}
	}
	s.mu.Unlock()
	for _, r := range waiting {
		r.wait(limit)
	}
}
