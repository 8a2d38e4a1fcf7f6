package limit

import (
	"sync"
	"time"

	"github.com/zargo-io/zargo/zarr/store"
)

// rates bound the requests and the bytes in a second, over reads and writes.
type rates struct {
	mu       sync.Mutex
	requests spacing
	bytes    spacing
	read     float64 // bytes of a read whose length is not known, on average
	blind    int     // such reads that began before one had ended
}

// newRates returns nil where there is no bound.
func newRates(requests, bytes float64) *rates {
	if requests <= 0 && bytes <= 0 {
		return nil
	}
	return &rates{requests: spacing{rate: requests}, bytes: spacing{rate: bytes}}
}

// begin books a request, and returns how long it must wait.
func (r *rates) begin(c store.Call, now time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if unknown(c) && r.read == 0 {
		r.blind++
	}
	return max(r.requests.book(1, now), r.bytes.book(r.expected(c), now))
}

// end corrects the bytes of a read by those that came.
func (r *rates) end(c store.Call, bytes int64) {
	if c.Op != store.OpGet {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	expected := r.expected(c)
	if unknown(c) && r.blind > 0 {
		r.blind--
		expected = 0
	}
	r.bytes.correct(float64(bytes) - expected)
	switch {
	case !unknown(c) || bytes == 0:
	case r.read == 0:
		r.read = float64(bytes)
	default:
		r.read += (float64(bytes) - r.read) / 16
	}
}

// unknown reports that a request does not say how many bytes it moves.
func unknown(c store.Call) bool {
	_, _, ok := c.Range.IsWithin()
	return c.Op == store.OpGet && !ok
}

// expected is how many bytes a request is expected to move.
func (r *rates) expected(c store.Call) float64 {
	switch _, n, ok := c.Range.IsWithin(); {
	case c.Op != store.OpGet:
		return float64(c.Bytes)
	case ok:
		return float64(n)
	}
	return r.read
}

// spacing books requests or bytes one after another.
type spacing struct {
	rate float64 // in a second; 0 or less: no bound
	free time.Time
}

// late is how much of the time that nobody used may be used later, so that a timer that comes late
// costs nothing.
const late = 50 * time.Millisecond

// book books n, and returns how long it is until they may begin.
func (s *spacing) book(n float64, now time.Time) time.Duration {
	if s.rate <= 0 {
		return 0
	}
	if first := now.Add(-late); s.free.Before(first) || s.free.Sub(now) > time.Hour {
		s.free = first
	}
	wait := s.free.Sub(now)
	s.correct(n)
	return max(0, wait)
}

// correct moves what follows by n.
func (s *spacing) correct(n float64) {
	if s.rate > 0 {
		s.free = s.free.Add(time.Duration(n / s.rate * float64(time.Second)))
	}
}
