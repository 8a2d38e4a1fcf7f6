package zarr

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/bytesview"
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/pipeline"
	"github.com/zargo-io/zargo/internal/shard"
	plan "github.com/zargo-io/zargo/internal/shard/fetch"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Write sets what sel selects of the array to src, in C order; len(src) is the number of elements selected (ErrSelection
// otherwise). T is as for Read.
//
// Chunks whose elements inside the array are all selected are written without being read. Others are read, changed and
// written on condition that nobody replaced them in between, and done again if somebody did: concurrent writers of
// different elements lose nothing, here or in other processes. A store that cannot do conditional writes refuses partial
// chunks with errors.ErrUnsupported; see SingleWriter. Chunks whose every element is the fill value are deleted, or not
// written, unless StoreFill says otherwise; where the fill value is undefined (v2's null) all are stored.
//
// After an error some chunks may have been written and others not; each is wholly old or wholly new.
func Write[T any](ctx context.Context, a *Array, src []T, sel ...Selection) error {
	r, err := regionOf[T](a, len(src), sel)
	if err != nil {
		return err
	}
	if t, ok := a.meta.DType.(*dtype.Struct); ok {
		return writeStructs(ctx, a, t, src, r)
	}
	if a.meta.DType.Size() == 0 {
		return writeItems(ctx, a, src, r)
	}
	if view, ok := bytesview.Of(src); ok {
		return a.write(ctx, view, r)
	}
	b := make([]byte, len(src)*a.meta.DType.Size())
	bytesview.Put(b, src)
	return a.write(ctx, b, r)
}

// WriteBytes is Write for any data type: src holds the elements in memory form (little-endian, packed; see package
// dtype).
func (a *Array) WriteBytes(ctx context.Context, src []byte, sel ...Selection) error {
	r, err := a.regionOfBytes(len(src), sel)
	if err != nil {
		return err
	}
	return a.write(ctx, src, r)
}

func (a *Array) write(ctx context.Context, src []byte, r grid.Selection) error {
	err := a.writable()
	if err == nil {
		err = a.confirm(ctx)
	}
	if err != nil {
		return a.errf(err)
	}
	if err := a.conditional(r); err != nil {
		return a.errf(err)
	}
	p := plan.Plan{Layout: a.layout(), Region: r}
	if err := a.admit(p, true); err != nil {
		return err
	}
	from := pipeline.Memory{Block: codec.Block{Bytes: src}, Shape: r.Shape()}
	op, allow := a.cfg.limits.Bytes.Op(), a.allowance()
	inFlight := min(a.inFlight(), p.Len())
	if p.Object.Shards != nil {
		inFlight, _ = a.shardsInFlight(p.Len())
	}
	return concurrency.Each(ctx, inFlight, p.Fetches(), func(ctx context.Context, f plan.Fetch) error {
		c, err := a.pipe.For(f.Object.Shape)
		w := chunkWriter{a: a, op: op, allow: allow, c: c, layout: f.Object.Shards, f: f, src: from}
		switch {
		case err != nil:
		case f.Covers && a.field == nil: // else the other fields stay
			err = w.whole(ctx)
		default:
			err = w.partial(ctx)
		}
		if err != nil {
			return a.chunkErr("write", f, err)
		}
		return nil
	})
}

// chunkWriter writes one chunk of one call.
type chunkWriter struct {
	a      *Array
	op     *concurrency.Op
	allow  *allowance
	c      *pipeline.Chunk
	layout *shard.Layout // nil where a chunk is encoded as a whole
	f      plan.Fetch
	src    pipeline.Memory
}

// whole writes a chunk without reading it.
func (w *chunkWriter) whole(ctx context.Context) error {
	hold, err := w.op.Acquire(ctx, w.reserve(1))
	if err != nil {
		return err
	}
	defer hold.Release()
	buf := getBuffer(w.a.estimate(w.c))
	defer putBuffer(buf)
	empty, err := w.changed(ctx, buf, nil)
	if err != nil {
		return err
	}
	hold.Adjust(int64(cap(buf.b)))
	if empty {
		return w.delete(ctx, store.DeleteOptions{})
	}
	return w.put(ctx, buf.b, store.PutOptions{})
}

// reserve is how many bytes to reserve for so many encoded chunks. A shard is there once more, in pieces, while it is packed.
func (w *chunkWriter) reserve(chunks int64) int64 {
	if w.layout != nil {
		chunks++
	}
	return chunks * min(w.a.estimate(w.c), math.MaxInt64/4)
}

// maxConflicts bounds how often a partial chunk is done again. Each conflict means that another writer succeeded, so
// this many in a row is a store that misreports its versions rather than contention.
const maxConflicts = 1000

// partial reads a chunk, changes it, and writes it if nobody else did meanwhile, else does it all again.
func (w *chunkWriter) partial(ctx context.Context) error {
	// Goroutines of this process take turns; only other processes can conflict.
	unlock, err := w.a.shared.locks.Lock(ctx, w.f.Key)
	if err != nil {
		return err
	}
	defer unlock()
	for try := 1; ; try++ {
		lost, err := w.swap(ctx)
		if !lost || try == maxConflicts {
			return err
		}
		w.a.cfg.report.conflict()
		if err := sleep(ctx, rand.N(min(time.Duration(try)*2*time.Millisecond, 100*time.Millisecond))); err != nil {
			return err
		}
	}
}

// swap is one try of partial; lost tells that somebody else replaced the chunk in between, so that err is a conflict.
func (w *chunkWriter) swap(ctx context.Context) (lost bool, err error) {
	a := w.a
	hold, err := w.op.Acquire(ctx, w.reserve(2)) // the old encoded chunk and the new one
	if err != nil {
		return false, err
	}
	defer hold.Release()
	old, buf := getBuffer(a.estimate(w.c)), getBuffer(a.estimate(w.c))
	defer putBuffer(old)
	defer putBuffer(buf)

	v, err := w.stored(ctx, old)
	absent := errors.Is(err, fault.NotFound)
	if err != nil && !absent {
		return errors.Is(err, fault.Conflict), err
	}
	if !absent && v.Version == "" && !a.cfg.singleWriter {
		return false, document.NoVersions(a.st, "part of a chunk cannot be written")
	}
	if absent {
		v.Bytes = nil
	} else if v.Bytes == nil {
		v.Bytes = []byte{}
	}
	empty, err := w.changed(ctx, buf, v.Bytes)
	if err != nil {
		return false, err
	}
	hold.Adjust(int64(cap(old.b) + cap(buf.b)))
	switch {
	case empty && absent:
		return false, nil
	case empty:
		err = w.delete(ctx, store.DeleteOptions{IfVersion: a.condition(v.Version)})
	case absent && !a.cfg.singleWriter:
		err = w.put(ctx, buf.b, store.PutOptions{IfAbsent: true})
	default:
		err = w.put(ctx, buf.b, store.PutOptions{IfVersion: a.condition(v.Version)})
	}
	return errors.Is(err, fault.Conflict) || errors.Is(err, fault.Exists), err
}

// changed appends to buf the encoded form of a chunk with src laid over what was stored, which is nil when nothing was, or nothing
// of it stays; empty reports that the chunk is all fill value and shall not be stored.
func (w *chunkWriter) changed(ctx context.Context, buf *buffer, stored []byte) (empty bool, err error) {
	if w.layout != nil {
		return w.packShard(ctx, buf, stored)
	}
	slot, err := w.a.cfg.limits.CPU.Acquire(ctx)
	if err != nil {
		return false, err
	}
	defer slot.Release()
	b, empty, err := w.c.Encode(buf.b[:0], stored, w.src, w.f.Box, scratchOf(slot))
	if err == nil && !empty {
		buf.b = b
		w.a.observe(len(b))
	}
	return empty, err
}

// condition is the version a partial write asks for: none for a single writer.
func (a *Array) condition(v store.Version) store.Version {
	if a.cfg.singleWriter {
		return ""
	}
	return v
}

func (w *chunkWriter) put(ctx context.Context, b []byte, o store.PutOptions) error {
	if err := w.allow.take(1); err != nil {
		return err
	}
	_, err := w.a.st.Put(ctx, w.f.Key, b, o)
	w.a.cfg.report.put(len(b), err)
	w.a.shared.engine.Forget(w.f.Key)
	return err
}

func (w *chunkWriter) delete(ctx context.Context, o store.DeleteOptions) error {
	if err := w.allow.take(1); err != nil {
		return err
	}
	w.a.cfg.report.del()
	err := w.a.st.Delete(ctx, w.f.Key, o)
	w.a.shared.engine.Forget(w.f.Key)
	return err
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
