package slots

import (
	"context"
	"sync"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/store"
)

// Slots bound the requests of a call until their responses are decoded. A request holds its buffer
// while it waits for the store. Slots that follow a store are therefore few while it is near.
type Slots struct {
	concurrency.Slots
	trace *store.Trace // nil without a listener
	most  int          // maximum number of slots
	cpus  int          // number of slots for responses that are decoded or wait for that
	of    store.Store  // nil if the number of slots is fixed

	mu  sync.Mutex
	now store.Measured // written by follow
}

// Open sets the number of slots to requests + cpus. If st is not nil, the slots follow the number
// of requests that st serves concurrently while it is near; see [store.Measured]. trace may be nil.
func (s *Slots) Open(st store.Store, requests, cpus int, trace *store.Trace) {
	s.of, s.most, s.cpus, s.trace = st, requests+cpus, cpus, trace
	s.Resize(s.most)
	s.follow()
}

// follow adapts the number of slots to the store.
func (s *Slots) follow() {
	if s.of == nil || !s.mu.TryLock() {
		return
	}
	defer s.mu.Unlock()
	n := s.most
	if store.As(s.of, &s.now) && s.now.Enough > 0 {
		n = min(n, s.now.Enough+s.cpus)
	}
	s.Resize(n)
}

// Size returns the maximum number of slots.
func (s *Slots) Size() int { return s.most }

// Acquire calls [concurrency.Slots.Acquire] and traces the wait. No wait starts after the end of
// ctx.
func (s *Slots) Acquire(ctx context.Context) error {
	if t := s.trace; t != nil && t.Wait != nil && ctx.Err() == nil {
		if s.Try() {
			return nil
		}
		start := time.Now()
		defer func() { t.Wait(ctx, store.Wait{For: store.WaitSlot, Took: time.Since(start)}) }()
	}
	return s.Slots.Acquire(ctx)
}

// Release releases a slot.
func (s *Slots) Release() {
	s.follow()
	s.Slots.Release()
}
