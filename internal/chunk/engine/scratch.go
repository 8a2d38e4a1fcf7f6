package engine

import (
	"context"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
)

// scratch is the memory that a CPU slot keeps from chunk to chunk. Its chunk-sized buffers belong
// to the hold of the task that has the slot.
type scratch struct {
	pipeline.Scratch
	slot *concurrency.Slot
	hold *concurrency.Hold
	lent [][]byte
}

// cpu waits for a CPU slot for work in the memory of hold. The caller must release the scratch.
func (r *Call) cpu(ctx context.Context, hold *concurrency.Hold) (*scratch, error) {
	slot, err := r.core(ctx)
	if err != nil {
		return nil, err
	}
	s, ok := slot.Scratch.(*scratch)
	if !ok {
		s = &scratch{}
		s.Lend(s.buffer)
		slot.Scratch = s
	}
	s.slot, s.hold = slot, hold
	return s, nil
}

func (s *scratch) buffer(n int) []byte {
	b := s.hold.Buffer(n)
	s.lent = append(s.lent, b)
	return b
}

// release releases the slot and returns the lent buffers to the hold.
func (s *scratch) release() {
	s.Free()
	for i, b := range s.lent {
		s.hold.Put(b)
		s.lent[i] = nil
	}
	s.lent, s.hold = s.lent[:0], nil
	s.slot.Release()
}
