package concurrency

import (
	"context"
	"sync"
)

// Slots is a semaphore of variable size, for example for the requests of a store. Create it with
// [NewSlots], or set the size of a zero Slots with Resize.
type Slots struct {
	mu      sync.Mutex
	size    int
	held    int
	peak    int
	waiting queues
}

// NewSlots returns n slots; n < 1 means 1.
func NewSlots(n int) *Slots { return &Slots{size: max(n, 1)} }

// Acquire acquires a slot. Waiters are served in order of arrival. If ctx ends first, Acquire
// returns context.Cause(ctx). The caller must Release the slot, and must not acquire another one
// while holding it.
func (s *Slots) Acquire(ctx context.Context) error { return s.AcquireIn(ctx, nil, 0) }

// AcquireIn is like [Slots.Acquire] for a waiter of a group, which must be comparable. Groups are
// served in turn, so that a group with many waiters does not block the others. A waiter is served
// before all waiters of its group with a lower rank. Ranks are 0 to 2; other values are clamped.
// Acquire uses the group nil and the rank 0.
func (s *Slots) AcquireIn(ctx context.Context, group any, rank int) error {
	rank = min(max(rank, 0), ranks-1)
	if err := context.Cause(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	if s.take() {
		s.mu.Unlock()
		return nil
	}
	turn := s.waiting.add(group, rank)
	s.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.waiting.remove(group, rank, turn) { // the slot was handed over concurrently
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

// Release releases a slot and hands it to the next waiter, if there are waiters.
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
	return s.waiting.n
}

// Peak returns the largest number of slots held at any time.
func (s *Slots) Peak() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.peak
}

func (s *Slots) take() bool {
	if s.waiting.n > 0 || s.held >= s.size {
		return false
	}
	s.held++
	s.peak = max(s.peak, s.held)
	return true
}

func (s *Slots) wake() {
	for s.waiting.n > 0 && s.held < s.size {
		s.waiting.serve()
		s.held++
		s.peak = max(s.peak, s.held)
	}
}
