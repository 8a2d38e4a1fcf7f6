package limit

import (
	"context"
	"slices"
	"sync"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Slots is a number of requests that may be in flight at once. Make it with [NewSlots].
type Slots struct {
	n int

	mu      sync.Mutex
	used    int
	peak    int
	waiting []chan struct{} // first come, first served; closed to hand over a slot
}

// NewSlots makes n slots; fewer than one is fault.Limit.
func NewSlots(n int) (*Slots, error) {
	if n < 1 {
		return nil, fault.Newf(fault.Limit, "%d requests in flight: at least one is needed", n)
	}
	return &Slots{n: n}, nil
}

// Size is how many there are.
func (s *Slots) Size() int { return s.n }

// InFlight is how many are taken now.
func (s *Slots) InFlight() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}

// Peak is how many were taken at most.
func (s *Slots) Peak() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.peak
}

// acquire takes a slot, or gives the context's error.
func (s *Slots) acquire(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	if s.used < s.n && len(s.waiting) == 0 {
		s.used++
		s.peak = max(s.peak, s.used)
		s.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	s.waiting = append(s.waiting, turn)
	s.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	i := slices.Index(s.waiting, turn)
	if i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	}
	s.mu.Unlock()
	if i < 0 {
		s.release() // the slot came at the same moment
	}
	return ctx.Err()
}

// release gives a slot back, to the one that waits longest.
func (s *Slots) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 {
		s.used--
		return
	}
	close(s.waiting[0])
	s.waiting[0] = nil
	s.waiting = s.waiting[1:]
}
