package concurrency

import (
	"context"
	"runtime"
	"slices"
	"sync"
)

// CPU is a set of slots for work that keeps a core busy, such as encoding, decoding and copying.
// Waiters are served in order of arrival. The slot released last is reused first, because its
// scratch memory is most likely still in a cache.
type CPU struct {
	slots   int
	mu      sync.Mutex
	free    []*Slot
	waiting []chan *Slot // each of capacity 1
}

// Slot is the right to keep one core busy. Scratch belongs to the goroutine that holds the slot and
// remains in the slot after Release, so the number of slots bounds the scratch memory of codecs.
type Slot struct {
	Scratch any
	cpu     *CPU
}

// NewCPU returns a CPU of n slots; n < 1 means GOMAXPROCS.
func NewCPU(n int) *CPU {
	if n < 1 {
		n = runtime.GOMAXPROCS(0)
	}
	c := &CPU{slots: n}
	for range n {
		c.free = append(c.free, &Slot{cpu: c})
	}
	return c
}

// Slots returns the number of slots.
func (c *CPU) Slots() int { return c.slots }

// Acquire waits for a slot. If ctx ends first, Acquire returns context.Cause(ctx). The caller must
// Release the slot, and must not acquire a second one while holding it.
func (c *CPU) Acquire(ctx context.Context) (*Slot, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	c.mu.Lock()
	if s := c.take(); s != nil {
		c.mu.Unlock()
		return s, nil
	}
	turn := make(chan *Slot, 1)
	c.waiting = append(c.waiting, turn)
	c.mu.Unlock()
	select {
	case s := <-turn:
		return s, nil
	case <-ctx.Done():
	}
	c.mu.Lock()
	i := slices.Index(c.waiting, turn)
	if i >= 0 {
		c.waiting = slices.Delete(c.waiting, i, i+1)
	}
	c.mu.Unlock()
	if i < 0 { // the slot was handed over concurrently
		(<-turn).Release()
	}
	return nil, context.Cause(ctx)
}

// Try returns a slot if one is free. Work that already holds a slot can use Try for additional
// goroutines.
func (c *CPU) Try() (*Slot, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.take()
	return s, s != nil
}

// take returns a free slot, or nil. No slot is free while there are waiters.
func (c *CPU) take() *Slot {
	n := len(c.free)
	if n == 0 {
		return nil
	}
	s := c.free[n-1]
	c.free = c.free[:n-1]
	return s
}

// Release hands the slot to the first waiter, or marks it free.
func (s *Slot) Release() {
	c := s.cpu
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) == 0 {
		c.free = append(c.free, s)
		return
	}
	c.waiting[0] <- s
	c.waiting[0] = nil
	c.waiting = c.waiting[1:]
}
