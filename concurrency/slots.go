package concurrency

import (
	"context"
	"slices"
	"sync"
)

// Slots is a semaphore of variable size, for example for the requests of a store. Create it with
// [NewSlots], or set the size of a zero Slots with Resize.
type Slots struct {
	mu      sync.Mutex
	size    int
	held    int
	peak    int
	waits   int                    // length of all queues
	waiting [ranks][]chan struct{} // queues by rank, in order of arrival; closing hands over a slot
}

// ranks is the number of ranks of [Slots.AcquireAhead].
const ranks = 3

// NewSlots returns n slots; n < 1 means 1.
func NewSlots(n int) *Slots { return &Slots{size: max(n, 1)} }

// Acquire acquires a slot. Waiters are served in order of arrival. If ctx ends first, Acquire
// returns context.Cause(ctx). The caller must Release the slot, and must not acquire another one
// while holding it.
func (s *Slots) Acquire(ctx context.Context) error { return s.AcquireAhead(ctx, 0) }

// AcquireAhead is like [Slots.Acquire], but is served before all waiters with a lower rank. Ranks
// are 0, the rank of Acquire, to 2; other values are clamped.
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
	} else { // the slot was handed over concurrently
		s.held--
		s.wake()
	}
	return context.Cause(ctx)
}

// Try acquires a slot if one is free and no caller waits for one. It reports whether it acquired a
// slot.
func (s *Slots) Try() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.take()
}

// Release releases a slot and hands it to the first waiter of the highest rank, if there are
// waiters.
func (s *Slots) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held--
	s.wake()
}

// Resize changes the number of slots to n; n < 1 means 1. Excess slots remain held until they are
// released.
func (s *Slots) Resize(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size = max(n, 1)
	s.wake()
}

// Size returns the number of slots.
func (s *Slots) Size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

// Held returns the number of slots held now. It may exceed Size for a while after Resize to a
// smaller number.
func (s *Slots) Held() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}

// Waiting returns the number of waiters.
func (s *Slots) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waits
}

// Peak returns the largest number of slots held at any time.
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
