package concurrency

import (
	"context"
	"slices"
	"sync"
)

// Slots is a number of things that may go on at once, such as requests of a store. The number may change at any time. Make it with [NewSlots], or of the zero Slots by Resize.
type Slots struct {
	mu      sync.Mutex
	size    int
	held    int
	peak    int
	waiting []chan struct{} // first come, first served; closed to hand over a slot
}

// NewSlots makes n slots; n < 1 means 1.
func NewSlots(n int) *Slots { return &Slots{size: max(n, 1)} }

// Acquire takes a slot and waits, in order of arrival, until there is one; the error is the cause of ctx's end. The caller must
// Release it, and must not acquire a second one while holding it.
func (s *Slots) Acquire(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	if s.take() {
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
	defer s.mu.Unlock()
	if i := slices.Index(s.waiting, turn); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
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

// Release gives a slot back, to what has waited longest.
func (s *Slots) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held--
	s.wake()
}

// Resize makes it n slots; n < 1 means 1. Of slots that are taken and are too many, those that are released first are gone.
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

// Held is the number of slots that are taken now: more than Size for a while, after Resize to fewer.
func (s *Slots) Held() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}

// Waiting is how many wait for a slot now.
func (s *Slots) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.waiting)
}

// Peak is the most that were taken at once.
func (s *Slots) Peak() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.peak
}

func (s *Slots) take() bool {
	if len(s.waiting) > 0 || s.held >= s.size {
		return false
	}
	s.held++
	s.peak = max(s.peak, s.held)
	return true
}

func (s *Slots) wake() {
	for len(s.waiting) > 0 && s.held < s.size {
		close(s.waiting[0])
		s.waiting[0] = nil
		s.waiting = s.waiting[1:]
		s.held++
		s.peak = max(s.peak, s.held)
	}
}
