package concurrency

import (
	"context"
	"runtime"
	"slices"
	"sync"
)

// CPU hands out slots for work that keeps a core busy: encoding, decoding, copying. Who waits has
// its turn in order of arrival, and the slot that came back last goes out first, as its scratch is
// most likely in a cache.
type CPU struct {
	slots   int
	mu      sync.Mutex
	free    []*Slot
	waiting []chan *Slot // each has room for one
}

// Slot is the right to keep one core busy. Scratch belongs to the goroutine that holds the slot and
// stays with it, so memory that transforms need is bounded by the number of slots.
type Slot struct {
	Scratch any
	cpu     *CPU
}

// NewCPU makes n slots; n < 1 means GOMAXPROCS.
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

// Slots is the number of slots.
func (c *CPU) Slots() int { return c.slots }

// Acquire waits for a slot. The caller must Release it, and must not acquire a second one while
// holding it.
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
	if i < 0 { // the slot came at the same moment
		(<-turn).Release()
	}
	return nil, context.Cause(ctx)
}

// Try gives a slot if one is idle, for the parts of work that holds one already.
func (c *CPU) Try() (*Slot, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.take()
	return s, s != nil
}

// take gives an idle slot. There is none while anything waits.
func (c *CPU) take() *Slot {
	n := len(c.free)
	if n == 0 {
		return nil
	}
	s := c.free[n-1]
	c.free = c.free[:n-1]
	return s
}

// Release gives the slot back.
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
