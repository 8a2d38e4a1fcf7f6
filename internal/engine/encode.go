package engine

import (
	"context"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/plan"
)

// make makes the stored form of an object that is not read, in a Task of its own.
func (r *Call) make(ctx context.Context, o *plan.Object) (made, error) {
	hold, err := r.reserve(ctx, concurrency.Task, r.encoding(o))
	if err != nil {
		return made{}, err
	}
	b, empty, err := r.encode(ctx, hold, o, nil)
	if err != nil {
		hold.Release()
	}
	return made{bytes: b, empty: empty, hold: hold}, err
}

// encoding is how many bytes to reserve to make the stored form of an object.
func (r *Call) encoding(o *plan.Object) int64 {
	if !o.Covers && o.Chunk.LaysOver() {
		return 0 // it is made where the old one lies, or was expected
	}
	n := need(r.size().Typical(o.Chunk))
	if o.Chunk.Shards == nil {
		return plan.Sum(n, plan.Room(o.Chunk.EncodeRoom(r.memory, o.Box)))
	}
	return plan.Sum(n, r.size().Packing(o, n).Room)
}

// encode returns the stored form of an object with what is written laid over the old one, which is
// nil when nothing of it stays, and which may be changed. empty reports that the object is all fill
// value and shall not be stored. The stored form is all that is held afterwards, unless it is in the
// caller's memory.
func (r *Call) encode(ctx context.Context, hold *concurrency.Hold, o *plan.Object, old []byte) (b []byte, empty bool, err error) {
	if o.Chunk.Shards != nil {
		b, empty, err = r.pack(ctx, hold, o, old)
	} else {
		var lies bool
		if b, empty, lies, err = r.encodeChunk(ctx, hold, o, old); lies {
			return b, empty, err
		}
	}
	if err != nil || empty {
		return nil, empty, err
	}
	r.State.seen(len(b))
	hold.Adopt(b)
	return hold.Trim(b), false, nil
}

// encodeChunk is encode of a chunk. lies reports that its elements are stored as they are in the
// caller's memory, which is only read. They are reserved all the same: the budget bounds what is in
// flight.
func (r *Call) encodeChunk(ctx context.Context, hold *concurrency.Hold, o *plan.Object, old []byte) (b []byte, empty, lies bool, err error) {
	if o.Covers && old == nil {
		b, lies = o.Chunk.AsItLies(r.memory, o.Box)
	}
	switch {
	case lies:
	case old != nil && o.Chunk.LaysOver():
		b = old[:0]
	default:
		b = buffer(hold, r.size().Typical(o.Chunk))
	}
	s, err := r.cpu(ctx, hold)
	if err != nil {
		return b, false, lies, err
	}
	defer s.release()
	if !lies {
		b, empty, err = r.encodeOver(ctx, o.Key, o.Chunk, o.Box, b, old, &s.Scratch, o.Edge)
		return b, empty, false, err
	}
	start := r.clock()
	if empty = o.Chunk.IsFill(b); empty {
		r.missing(ctx, o.Key, o.Box)
	} else {
		r.worked(ctx, o.Key, o.Chunk, o.Box, len(b), o.Chunk.Bytes, start)
	}
	return b, empty, true, nil
}
