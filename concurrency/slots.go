package concurrency

import (
	"context"
	"slices"
	"sync"
)

// Slots is a number of things that may go on at once, such as requests of a store. The number may
// change at any time. Make it with [NewSlots], or of the zero Slots by Resize.
type Slots struct {
	mu      sync.Mutex
	size    int
	held    int
	peak    int
	waits   int                    // in all queues of waiting
	waiting [ranks][]chan struct{} // by rank, each first come, first served; closed to hand over a slot
}

// ranks is the number of ranks of [Slots.AcquireAhead].
const ranks = 3

// NewSlots makes n slots; n < 1 means 1.
func NewSlots(n int) *Slots { return &Slots{size: max(n, 1)} }

// Acquire takes a slot and waits, in order of arrival, until there is one; the error is the cause
// of ctx's end. The caller must Release it, and must not acquire a second one while holding it.
func (s *Slots) Acquire(ctx context.Context) error { return s.AcquireAhead(ctx, 0) }

// AcquireAhead is Acquire ahead of all waiters with a lower rank. Ranks are 0, that of Acquire, to
// 2; others count as the nearest of these.
func (s *Slots) AcquireAhead(ctx context.Context, rank int) error {
	rank = min(max(rank, 0), ranks-1)
	if err := context.Cause(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	if s.take() {
		s.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	s.waiting[rank] = append(s.waiting[rank], turn)
	s.waits++
	s.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.waiting[rank], turn); i >= 0 {
		s.waiting[rank] = slices.Delete(s.waiting[rank], i, i+1)
		s.waits--
	} else { // the slot came at the same moment
		s.held--
		s.wake()
	}
	return context.Cause(ctx)
}

// Try takes a slot if there is one and nothing waits for it.
func (s *Slots) Try() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.take()
}

// Release gives a slot back, to what has waited longest with the highest rank.
func (s *Slots) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held--
	s.wake()
}

// Resize makes it n slots; n < 1 means 1. Of slots that are taken and are too many, those that are
// released first are gone.
func (s *Slots) Resize(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size = max(n, 1)
	s.wake()
}

// Size is the number of slots.
func (s *Slots) Size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

// Held is the number of slots that are taken now: more than Size for a while, after Resize to
// fewer.
func (s *Slots) Held() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}

// Waiting is how many wait for a slot now.
func (s *Slots) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waits
}

// Peak is the most that were taken at once.
func (s *Slots) Peak() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.peak
}

func (s *Slots) take() bool {
	if s.waits > 0 || s.held >= s.size {
		return false
	}
	s.held++
	s.peak = max(s.peak, s.held)
	return true
}

func (s *Slots) wake() {
	for rank := ranks - 1; rank >= 0 && s.held < s.size; rank-- {
		queue := s.waiting[rank]
		for len(queue) > 0 && s.held < s.size {
			close(queue[0])
			queue[0] = nil
			queue = queue[1:]
			s.waits--
			s.held++
			s.peak = max(s.peak, s.held)
		}
		s.waiting[rank] = queue
	}
}
