package limit

import (
	"sync"
	"time"

	"github.com/zargo-io/zargo/zarr/store"
)

// rates limit the requests and bytes per second, of reads and writes together.
type rates struct {
	mu       sync.Mutex
	requests spacing
	bytes    spacing
	read     float64 // average number of bytes of a read of unknown length
	blind    int     // number of such reads that started before the first had ended
}

// newRates returns rates with these limits per second, or nil if neither is limited.
func newRates(requests, bytes float64) *rates {
	if requests <= 0 && bytes <= 0 {
		return nil
	}
	return &rates{requests: spacing{rate: requests}, bytes: spacing{rate: bytes}}
}

// begin reserves a start time for a request and returns the time until then.
func (r *rates) begin(c store.Call, now time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if unknown(c) && r.read == 0 {
		r.blind++
	}
	return max(r.requests.book(1, now), r.bytes.book(r.expected(c), now))
}

// end replaces the expected number of bytes of a read by the actual number.
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

// unknown reports whether the number of bytes that c transfers is unknown.
func unknown(c store.Call) bool {
	_, _, ok := c.Range.IsWithin()
	return c.Op == store.OpGet && !ok
}

// expected returns the number of bytes that a request is expected to transfer.
func (r *rates) expected(c store.Call) float64 {
	switch _, n, ok := c.Range.IsWithin(); {
	case c.Op != store.OpGet:
		return float64(c.Bytes)
	case ok:
		return float64(n)
	}
	return r.read
}

// spacing assigns consecutive intervals of time to requests or bytes.
type spacing struct {
	rate float64 // rate per second; 0 or less means no limit
	free time.Time
}

// late is the amount of unused time that later requests may still use. It makes up for timers that
// fire late.
const late = 50 * time.Millisecond

// book reserves time for n requests or bytes and returns the time until it starts.
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

// correct shifts later reservations by the time for n requests or bytes.
func (s *spacing) correct(n float64) {
	if s.rate > 0 {
		s.free = s.free.Add(time.Duration(n / s.rate * float64(time.Second)))
	}
}
