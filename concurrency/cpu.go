package concurrency

import (
	"context"
	"runtime"
)

// CPU hands out slots for work that keeps a core busy: encoding, decoding, copying.
type CPU struct{ free chan *Slot }

// Slot is the right to keep one core busy. Scratch belongs to the goroutine that holds the slot and stays with it, so memory that
// transforms need is bounded by the number of slots.
type Slot struct {
	Scratch any
	cpu     *CPU
}

// NewCPU makes n slots; n < 1 means GOMAXPROCS.
func NewCPU(n int) *CPU {
	if n < 1 {
		n = runtime.GOMAXPROCS(0)
	}
	c := &CPU{free: make(chan *Slot, n)}
	for range n {
		c.free <- &Slot{cpu: c}
	}
	return c
}

// Slots is the number of slots.
func (c *CPU) Slots() int { return cap(c.free) }

// Acquire waits for a slot. The caller must Release it, and must not acquire a second one while holding it.
func (c *CPU) Acquire(ctx context.Context) (*Slot, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	select {
	case s := <-c.free:
		return s, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Try gives a slot if one is idle, for the parts of work that holds one already.
func (c *CPU) Try() (*Slot, bool) {
	select {
	case s := <-c.free:
		return s, true
	default:
		return nil, false
	}
}

// Release gives the slot back.
func (s *Slot) Release() { s.cpu.free <- s }
