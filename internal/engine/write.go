package engine

import (
	"context"
	"errors"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/pipeline"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/store"
)

// Write sets what sel selects of the array to src. Objects whose elements are all selected are
// written without being read; others are read, changed and written on condition that they were not
// replaced meanwhile, and done again if they were. An object that reaches beyond the array's shape
// and whose other elements are all selected is put if it is absent, and else changed likewise: its
// elements beyond the shape may be rows that another writer appended. An object that is all fill
// value is deleted, or not written, unless the pipeline stores it. A store that cannot do
// conditional writes refuses parts of objects with errors.ErrUnsupported, before anything is
// written, unless there is a single writer.
//
// After an error some objects may have been written and others not; each is wholly old or wholly
// new.
func (a *Array) Write(ctx context.Context, src pipeline.Memory, sel grid.Selection) error {
	ctx, r, err := a.begin(ctx, src, sel, a.WriteOptions())
	if err != nil {
		return err
	}
	return r.each(ctx, "write", r.write)
}

// WriteOptions are those of the plans of writes.
func (a *Array) WriteOptions() *plan.WriteOptions {
	w := &plan.WriteOptions{Merge: a.Layout.Pipe.OfField(), Held: a.Options.Guard != nil, Single: a.Options.SingleWriter}
	w.Conditions = store.Conditions{IfAbsent: true, IfVersion: true} // as store.ConditionsOf has it, in memory that there is
	store.As(a.Store, &w.Conditions)
	return w
}

// write writes one object.
func (r *Call) write(ctx context.Context, o *plan.Object) error {
	switch {
	case !o.Covers || o.Edge:
		return r.merge(ctx, o)
	case r.Options.Guard != nil && !r.Options.SingleWriter:
		return r.add(ctx, o)
	}
	return r.replace(ctx, o)
}

// mayMerge reports whether the store can do safely what the plan writes: parts of objects take
// conditions. It is asked before anything is written: else the first part of an absent object would
// be, and only the second refused.
func (r *Call) mayMerge() bool {
	if c := r.plan.Write.Conditions; r.Options.SingleWriter || c.IfAbsent && c.IfVersion {
		return true
	}
	for o := range r.plan.Objects() {
		if !o.Covers {
			return false
		}
	}
	return true
}

// refused is what a store without versions does not do.
const refused = "part of a chunk cannot be written"

// replace writes an object without reading it.
func (r *Call) replace(ctx context.Context, o *plan.Object) error {
	if r.streams(o, false) {
		if _, err := r.replaceStreamed(ctx, o, store.PutOptions{}); !errors.Is(err, errNoParts) {
			return err
		}
	}
	hold, err := r.reserve(ctx, concurrency.Task, r.encoding(o))
	if err != nil {
		return err
	}
	defer hold.Release()
	b, empty, err := r.encode(ctx, hold, o, nil)
	if err != nil {
		return err
	}
	if empty {
		return r.delete(ctx, o, store.DeleteOptions{})
	}
	return r.put(ctx, o, b, store.PutOptions{})
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
	start := time.Now()
	empty := o.Chunk.IsFill(lies)
	if r.tracesChunks() {
		if empty {
			r.missing(ctx, o.Key, o.Box)
		} else {
			r.worked(ctx, o.Key, o.Chunk, o.Box, len(lies), o.Chunk.Bytes, start)
		}
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

func (r *Call) put(ctx context.Context, o *plan.Object, b []byte, c store.PutOptions) error {
	_, err := r.store.Put(ctx, o.Key, b, c)
	if err == nil {
		r.account.Chunks(1, 0)
	}
	r.State.Forget(o.Key)
	return err
}

func (r *Call) delete(ctx context.Context, o *plan.Object, c store.DeleteOptions) error {
	c.AsPut = true
	err := r.store.Delete(ctx, o.Key, c)
	r.State.Forget(o.Key)
	return err
}
