package engine

import (
	"context"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/pipeline"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/store"
)

// What this file does is what the rest of the engine does without it, and reports it to the trace
// of the call. Where that does not listen, no clock is read and nothing is allocated.

// reserve is [concurrency.Budget.Acquire].
func (r *Call) reserve(ctx context.Context, k concurrency.Kind, n int64) (*concurrency.Hold, error) {
	b := r.Options.Limits.Bytes
	if tracesWaits(ctx, r.trace) {
		if h, ok := b.AcquireNow(k, n); ok {
			return h, nil
		}
		defer waited(ctx, r.trace, store.WaitBytes, time.Now())
	}
	return b.Acquire(ctx, k, n)
}

// core is [concurrency.CPU.Acquire].
func (r *Call) core(ctx context.Context) (*concurrency.Slot, error) {
	c := r.Options.Limits.CPU
	if tracesWaits(ctx, r.trace) {
		if s, ok := c.Try(); ok {
			return s, nil
		}
		defer waited(ctx, r.trace, store.WaitCPU, time.Now())
	}
	return c.Acquire(ctx)
}

// lock is [concurrency.Keyed.Lock].
func (r *Call) lock(ctx context.Context, key string) (concurrency.KeyLock, error) {
	l := &r.State.locks
	if tracesWaits(ctx, r.trace) {
		if k, ok := l.TryLock(key); ok {
			return k, nil
		}
		defer waited(ctx, r.trace, store.WaitKey, time.Now())
	}
	return l.Lock(ctx, key)
}

// slots are those of a call.
type slots struct {
	concurrency.Slots
	trace *store.Trace // of the call; nil where nothing listens
}

// Acquire is [concurrency.Slots.Acquire].
func (s *slots) Acquire(ctx context.Context) error {
	if tracesWaits(ctx, s.trace) {
		if s.Try() {
			return nil
		}
		defer waited(ctx, s.trace, store.WaitSlot, time.Now())
	}
	return s.Slots.Acquire(ctx)
}

// tracesWaits reports whether to find out if there is a wait; none is begun after the end of ctx.
func tracesWaits(ctx context.Context, t *store.Trace) bool {
	return t != nil && t.Wait != nil && ctx.Err() == nil
}

func waited(ctx context.Context, t *store.Trace, what store.Resource, since time.Time) {
	t.Wait(ctx, store.Wait{For: what, Took: time.Since(since)})
}

// hit reports that the index of the i-th shard of a level was in the cache.
func (r *Call) hit(ctx context.Context, l *plan.Level, i int) {
	if r.trace != nil && r.trace.Hit != nil {
		r.trace.Hit(ctx, store.Hit{Key: l.ID(i).Key, Bytes: l.IndexSize(), Of: store.CachedIndex})
	}
}

// decodeOne is [pipeline.Chunk.Decode].
func (r *Call) decodeOne(ctx context.Context, key string, c *pipeline.Chunk, b grid.Box, stored []byte, s *pipeline.Scratch) error {
	if !r.tracesChunks() {
		return c.Decode(r.memory, b, stored, s)
	}
	start := time.Now()
	err := c.Decode(r.memory, b, stored, s)
	if err == nil {
		r.worked(ctx, key, c, b, len(stored), c.Bytes, start)
	}
	return err
}

// decodeWanted is decodeOne of what a request for a chunk, or for a range of one, brought.
func (r *Call) decodeWanted(ctx context.Context, rd plan.Read, c *pipeline.Chunk, b grid.Box, stored []byte, s *pipeline.Scratch) error {
	if rd.Range.IsWhole() {
		return r.decodeOne(ctx, rd.Key, c, b, stored, s)
	}
	var start time.Time
	if r.tracesChunks() {
		start = time.Now()
	}
	err := c.DecodeSpan(r.memory, b, stored, s)
	if err == nil && r.tracesChunks() {
		r.worked(ctx, rd.Key, c, b, len(stored), len(stored), start)
	}
	return err
}

// keepOne is [pipeline.Chunk.Kept]. Where the lengths of elements vary nothing is decoded yet.
func (r *Call) keepOne(ctx context.Context, key string, c *pipeline.Chunk, b grid.Box, stored []byte, s *pipeline.Scratch) ([]byte, error) {
	if !r.tracesChunks() || c.Varies() {
		return c.Kept(stored, s)
	}
	start := time.Now()
	kept, err := c.Kept(stored, s)
	if err == nil {
		r.worked(ctx, key, c, b, len(stored), c.Bytes, start)
	}
	return kept, err
}

// encodeOne is [pipeline.Chunk.Encode].
func (r *Call) encodeOne(ctx context.Context, key string, c *pipeline.Chunk, b grid.Box, dst, old []byte, s *pipeline.Scratch) (out []byte, empty bool, err error) {
	if !r.tracesChunks() {
		return c.Encode(dst, old, r.memory, b, s)
	}
	start := time.Now()
	out, empty, err = c.Encode(dst, old, r.memory, b, s)
	switch {
	case err != nil:
	case empty:
		r.missing(ctx, key, b)
	default:
		r.worked(ctx, key, c, b, len(out)-len(dst), c.Bytes, start)
	}
	return out, empty, err
}

// encodeOver is encodeOne over the stored form of a chunk. decided reports that the box selects all
// elements of the chunk inside the array: a stored form that does not decode is then replaced, as
// nothing of it can be kept.
func (r *Call) encodeOver(ctx context.Context, key string, c *pipeline.Chunk, b grid.Box, dst, old []byte, s *pipeline.Scratch, decided bool) (out []byte, empty bool, err error) {
	out, empty, err = r.encodeOne(ctx, key, c, b, dst, old, s)
	if decided && old != nil && undecodable(err) {
		return r.encodeOne(ctx, key, c, b, dst, nil, s)
	}
	return out, empty, err
}

// fillOne is [pipeline.Chunk.FillBox] of a chunk that is not stored.
func (r *Call) fillOne(ctx context.Context, key string, c *pipeline.Chunk, b grid.Box) {
	c.FillBox(r.memory, b)
	if r.tracesChunks() {
		r.missing(ctx, key, b)
	}
}

func (r *Call) tracesChunks() bool { return r.trace != nil && r.trace.Chunk != nil }

func (r *Call) worked(ctx context.Context, key string, c *pipeline.Chunk, b grid.Box, encoded, decoded int, since time.Time) {
	took := time.Since(since)
	r.trace.Chunk(ctx, store.Chunk{
		Key: key, Coord: r.Layout.Pipe.Stored(b.Coord), Encoded: int64(encoded), Decoded: int64(decoded), Used: int64(b.Len()) * int64(c.Size), Took: took,
	})
}

func (r *Call) missing(ctx context.Context, key string, b grid.Box) {
	r.trace.Chunk(ctx, store.Chunk{Key: key, Coord: r.Layout.Pipe.Stored(b.Coord), Missing: true})
}
