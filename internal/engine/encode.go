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

// encode gives the stored form of an object with what is written laid over what was stored, which
// is nil when nothing was, or nothing of it stays, and which may be changed; empty reports that the
// object is all fill value and shall not be stored. It is all that is held afterwards, unless it
// lies in the caller's memory.
func (r *Call) encode(ctx context.Context, hold *concurrency.Hold, o *plan.Object, old []byte) (b []byte, empty bool, err error) {
	if lies, ok := r.asItLies(o); ok && old == nil {
		empty, err := r.emptyAsItLies(ctx, hold, o, lies)
		return lies, empty, err
	}
	switch {
	case o.Chunk.Shards != nil:
		b, empty, err = r.pack(ctx, hold, o, old)
	case old != nil && o.Chunk.LaysOver():
		b, empty, err = r.encodeChunk(ctx, hold, old[:0], o, old)
	default:
		b, empty, err = r.encodeChunk(ctx, hold, buffer(hold, r.size().Typical(o.Chunk)), o, old)
	}
	if err != nil || empty {
		return nil, empty, err
	}
	r.State.seen(len(b))
	hold.Adopt(b)
	return hold.Trim(b), false, nil
}

// asItLies gives the stored form of an object that is written as it lies in the caller's memory,
// which is only read. Its bytes are reserved all the same: the budget bounds what is under way.
func (r *Call) asItLies(o *plan.Object) ([]byte, bool) {
	if !o.Covers || o.Chunk.Shards != nil {
		return nil, false
	}
	return o.Chunk.AsItLies(r.memory, o.Box)
}

// emptyAsItLies reports that such an object is all fill value and shall not be stored.
func (r *Call) emptyAsItLies(ctx context.Context, hold *concurrency.Hold, o *plan.Object, lies []byte) (bool, error) {
	s, err := r.cpu(ctx, hold)
	if err != nil {
		return false, err
	}
	defer s.release()
	start := r.clock()
	empty := o.Chunk.IsFill(lies)
	if empty {
		r.missing(ctx, o.Key, o.Box)
	} else {
		r.worked(ctx, o.Key, o.Chunk, o.Box, len(lies), o.Chunk.Bytes, start)
	}
	return empty, nil
}

func (r *Call) encodeChunk(ctx context.Context, hold *concurrency.Hold, dst []byte, o *plan.Object, old []byte) (_ []byte, empty bool, err error) {
	s, err := r.cpu(ctx, hold)
	if err != nil {
		return dst, false, err
	}
	defer s.release()
	return r.encodeOver(ctx, o.Key, o.Chunk, o.Box, dst, old, &s.Scratch, o.Edge)
}
