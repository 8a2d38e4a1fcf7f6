package engine

import (
	"context"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/plan"
)

// encode returns the stored form of an object, with the selected elements written over old. encode
// may modify old. old is nil if no old element remains. empty reports that all elements are the
// fill value, so that no object is stored. Afterwards hold contains only the stored form, or
// nothing if the stored form is in the caller's memory.
func (r *Call) encode(ctx context.Context, hold *concurrency.Hold, o *plan.Object, p plan.Packing, old []byte) (b []byte, empty bool, err error) {
	if o.Chunk.Shards != nil {
		b, empty, err = r.pack(ctx, hold, o, p, old)
	} else {
		var direct bool
		if b, empty, direct, err = r.encodeChunk(ctx, hold, o, old); direct {
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

// encodeChunk is encode for an unsharded chunk. direct reports that b is the caller's memory and
// must not be modified. Even then b is reserved, as the budget bounds the bytes in flight.
func (r *Call) encodeChunk(ctx context.Context, hold *concurrency.Hold, o *plan.Object, old []byte) (b []byte, empty, direct bool, err error) {
	if o.Covers && old == nil {
		b, direct = o.Chunk.AsItLies(r.memory, o.Box)
	}
	switch {
	case direct:
	case old != nil && o.Chunk.LaysOver():
		b = old[:0]
	default:
		b = buffer(hold, r.size().Typical(o.Chunk))
	}
	s, err := r.cpu(ctx, hold)
	if err != nil {
		return b, false, direct, err
	}
	defer s.release()
	if !direct {
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

// make encodes an object without reading it, in memory that make reserves.
func (r *Call) make(ctx context.Context, o *plan.Object, p plan.Packing) (made, error) {
	hold, err := r.reserve(ctx, concurrency.Task, r.encoding(o, p))
	if err != nil {
		return made{}, err
	}
	b, empty, err := r.encode(ctx, hold, o, p, nil)
	if err != nil {
		hold.Release()
	}
	return made{bytes: b, empty: empty, hold: hold}, err
}

// encoding returns the bytes to reserve for encoding an object.
func (r *Call) encoding(o *plan.Object, p plan.Packing) int64 {
	switch {
	case o.Chunk.Shards != nil:
		return p.Total
	case !o.Covers && o.Chunk.LaysOver():
		return 0 // it uses the memory reserved for the old form
	}
	return plan.Sum(need(r.size().Typical(o.Chunk)), plan.Room(o.Chunk.EncodeRoom(r.memory, o.Box)))
}
