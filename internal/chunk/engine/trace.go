package engine

import (
	"context"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/zarr/store"
)

// Each method below wraps the function that its comment names, and reports waits and work to the
// trace of the call. Without a trace the methods neither read the clock nor allocate.

// reserve calls [concurrency.Budget.Acquire].
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

// core calls [concurrency.CPU.Acquire].
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

// lock calls [concurrency.KeyedMutex.Lock].
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

// hit reports a cache hit of a chunk or an index.
func (r *Call) hit(ctx context.Context, of store.Cached, key string, n int64) {
	if r.trace != nil && r.trace.Hit != nil {
		r.trace.Hit(ctx, store.Hit{Key: key, Bytes: n, Of: of})
	}
}

// decodeOne calls [pipeline.Chunk.Decode].
func (r *Call) decodeOne(ctx context.Context, key string, c *pipeline.Chunk, b grid.Box, stored []byte, s *pipeline.Scratch) error {
	start := r.clock()
	err := c.Decode(r.memory, b, stored, s)
	if err == nil {
		r.worked(ctx, key, c, b, len(stored), c.Bytes, start)
	}
	return err
}

// decodeSpan calls [pipeline.Chunk.DecodeSpan].
func (r *Call) decodeSpan(ctx context.Context, key string, c *pipeline.Chunk, b grid.Box, stored []byte, s *pipeline.Scratch) error {
	start := r.clock()
	err := c.DecodeSpan(r.memory, b, stored, s)
	if err == nil {
		r.worked(ctx, key, c, b, len(stored), len(stored), start)
	}
	return err
}

// keepOne calls [pipeline.Chunk.Kept], which does not decode elements of varying length.
func (r *Call) keepOne(ctx context.Context, key string, c *pipeline.Chunk, b grid.Box, stored []byte, s *pipeline.Scratch) ([]byte, error) {
	start := r.clock()
	kept, err := c.Kept(stored, s)
	if err == nil && !c.Varies() {
		r.worked(ctx, key, c, b, len(stored), c.Bytes, start)
	}
	return kept, err
}

// encodeOne calls [pipeline.Chunk.Encode].
func (r *Call) encodeOne(ctx context.Context, key string, c *pipeline.Chunk, b grid.Box, dst, old []byte, s *pipeline.Scratch) (out []byte, empty bool, err error) {
	start := r.clock()
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

func (r *Call) tracesChunks() bool { return r.trace != nil && r.trace.Chunk != nil }

// clock returns the current time, for worked. It returns zero if chunks are not traced.
func (r *Call) clock() (begin time.Time) {
	if r.tracesChunks() {
		begin = time.Now()
	}
	return begin
}

// worked reports that a chunk was decoded or encoded.
func (r *Call) worked(ctx context.Context, key string, c *pipeline.Chunk, b grid.Box, encoded, decoded int, since time.Time) {
	if r.tracesChunks() {
		took := time.Since(since)
		r.trace.Chunk(ctx, store.Chunk{
			Key: key, Coord: r.Layout.Pipe.Stored(b.Coord), Encoded: int64(encoded), Decoded: int64(decoded), Used: int64(b.Len()) * int64(c.Size), Took: took,
		})
	}
}

// missing reports that a chunk is not stored.
func (r *Call) missing(ctx context.Context, key string, b grid.Box) {
	if r.tracesChunks() {
		r.trace.Chunk(ctx, store.Chunk{Key: key, Coord: r.Layout.Pipe.Stored(b.Coord), Missing: true})
	}
}
