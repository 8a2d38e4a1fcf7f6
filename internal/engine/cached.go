package engine

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunkcache"
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/pipeline"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Reads through a cache. What is wanted and not there is loaded once for all calls that want it,
// decoded into memory of its own, copied to where each call wants it, and kept. A load holds a Task
// and no slot of a call, so calls that wait for one another's loads do not wait in a circle.

// caches reports whether a read asks the cache. Check does not, nor do reads of chunks that take
// too much of it.
func (r *runner) caches(c *pipeline.Chunk) bool {
	return r.Options.Cache != nil && r.memory.Bytes != nil && r.Keeps(c)
}

// Keeps reports whether the cache, which there is, takes such chunks.
func (a *Array) Keeps(c *pipeline.Chunk) bool {
	for c.Shards != nil {
		c = c.Inner
	}
	return c.MayKeep() && a.Options.Cache.Keeps(c.Bytes)
}

// keepsOf reports whether what is loaded is kept, in a read that may be a part of another one. A
// read of more than the cache holds takes what is there, and adds nothing: its last chunks would
// displace its first ones, and all that others use.
func (r *runner) keepsOf(whole *runner) bool {
	if whole == nil {
		whole = r
	}
	return r.keepsRead(&whole.plan)
}

// keepsRead is keepsOf for a plan that is all of a read.
func (a *Array) keepsRead(p *plan.Plan) bool {
	if a.Options.Cache == nil {
		return false
	}
	n, ok := p.Select.Len()
	return ok && int64(n) <= a.Options.Cache.Size()/int64(max(a.Layout.Pipe.Largest().Size, 1))
}

// readCached is readStored, through the cache.
func (r *runner) readCached(ctx context.Context, o *plan.Object) error {
	if o.Chunk.Shards != nil {
		return r.readCachedShard(ctx, o)
	}
	c := r.Options.Cache
	var room [edgeRoom]byte
	edge := r.edge(room[:0], o.Coord)
	known, fresh := c.Object(o.Key, edge)
	var part *chunkcache.Entry
	if known != nil && !known.Absent {
		part = c.Part(r.cacheID(o.Key, known.Pin, o.Chunk))
	}
	if fresh && (known.Absent || part != nil) {
		c.Count(1, 0)
		return r.takeChunk(ctx, o, part)
	}
	if !r.keeps {
		return r.readStored(ctx, o)
	}
	c.Count(0, 1)
	rd := o.Whole()
	if part != nil {
		rd.Unless = known.Version
	}
	if err := r.account.Admit(1, rd.Known()); err != nil {
		return err
	}
	if err := r.slots.Acquire(ctx); err != nil {
		return err
	}
	defer r.slots.Release()
	l := chunkcache.Load{ID: r.cacheID(o.Key, "", o.Chunk), Unless: rd.Unless, Edge: string(edge)}
	got, err := r.joinCached(ctx, l, func(ctx context.Context, s chunkcache.Stamp) (chunkcache.Loaded, error) {
		return r.loadChunk(ctx, rd, known, s)
	})
	switch {
	case err != nil:
		return err
	case got.Object.Absent:
		r.fillOne(ctx, o.Key, o.Chunk, o.Box)
		r.account.Chunks(1, 1)
		return nil
	case !got.Unchanged:
		part = got.Parts[0].Entry
	}
	if err = r.placeKept(ctx, o.Key, o.Chunk, o.Box, part); err == nil {
		r.account.Chunks(1, 0)
	}
	return err
}

// takeChunk takes a chunk from the cache; nil is one that is absent.
func (r *runner) takeChunk(ctx context.Context, o *plan.Object, part *chunkcache.Entry) error {
	missing := 0
	if part == nil {
		r.hitKept(ctx, o.Key, 0)
		r.fillOne(ctx, o.Key, o.Chunk, o.Box)
		missing = 1
	} else {
		r.hitKept(ctx, o.Key, len(part.Bytes))
		if err := r.placeKept(ctx, o.Key, o.Chunk, o.Box, part); err != nil {
			return err
		}
	}
	r.account.Chunks(1, missing)
	return nil
}

// joinCached joins a load. An absence that was found by a load that began before is not believed: a
// load that begins now, whichever call began it, finds out how it is.
func (r *runner) joinCached(ctx context.Context, l chunkcache.Load, f func(context.Context, chunkcache.Stamp) (chunkcache.Loaded, error)) (chunkcache.Loaded, error) {
	got, joined, err := r.Options.Cache.Join(ctx, l, f)
	if joined && err == nil && got.Object != nil && got.Object.Absent {
		got, _, err = r.Options.Cache.Join(ctx, l, f)
	}
	return got, err
}

// loadChunk requests a chunk, decodes it, and keeps it before the load ends: who comes then finds
// it.
func (r *runner) loadChunk(ctx context.Context, rd plan.Read, known *chunkcache.Entry, s chunkcache.Stamp) (l chunkcache.Loaded, err error) {
	cache, c, box := r.Options.Cache, rd.Pieces[0].Chunk(), rd.Pieces[0].Box()
	if now, fresh := cache.Object(rd.Key, chunkcache.Edge(s.Edge)); fresh && !now.Absent { // since this call looked
		id := r.cacheID(rd.Key, now.Pin, c)
		if part := cache.Part(id); part != nil {
			return chunkcache.Loaded{Object: now, Parts: []chunkcache.Part{{ID: id, Entry: part}}}, nil
		}
	}
	got, err := r.receive(ctx, rd, room(c.KeptRoom()))
	if l, done := r.looked(rd.Key, known, s, err); done {
		return l, nil
	} else if err != nil {
		return l, err
	}
	defer got.hold.Release()
	l.Object = cache.Found(got.Version)
	b, err := r.keptOf(ctx, got, c, rd.Key, box, got.Bytes)
	if err != nil {
		return l, err
	}
	l.Parts = []chunkcache.Part{{ID: r.cacheID(rd.Key, l.Object.Pin, c), Entry: &chunkcache.Entry{Bytes: b}}}
	cache.Keep(s, rd.Key, l.Object, l.Parts...)
	return l, nil
}

// looked is what a request found that brought nothing: the object is absent, or still as it was
// known; not done where it did neither.
func (r *runner) looked(key string, known *chunkcache.Entry, s chunkcache.Stamp, err error) (l chunkcache.Loaded, done bool) {
	switch c := r.Options.Cache; {
	case errors.Is(err, fault.NotFound):
		l.Object = &chunkcache.Entry{Absent: true}
		c.Keep(s, key, l.Object)
	case errors.Is(err, fault.Unchanged):
		l.Object, l.Unchanged = known, true
		c.Revalidated(s, key, known)
	default:
		return l, false
	}
	return l, true
}

// keptOf decodes a chunk for the cache, in a CPU slot of its own.
func (r *runner) keptOf(ctx context.Context, got received, c *pipeline.Chunk, key string, b grid.Box, stored []byte) ([]byte, error) {
	s, err := r.cpu(ctx, got.hold)
	if err != nil {
		return nil, err
	}
	defer s.release()
	return r.keepOne(ctx, key, c, b, stored, &s.Scratch)
}

// placeKept takes a box of a chunk that is kept to its place. One whose elements turn out to be
// corrupt only now is kept no longer.
func (r *runner) placeKept(ctx context.Context, key string, c *pipeline.Chunk, b grid.Box, part *chunkcache.Entry) error {
	if !c.Varies() {
		c.Place(r.memory, b, part.Bytes)
		return nil
	}
	hold, err := r.reserve(ctx, concurrency.Task, room(c.DecodeRoom(r.memory, b)))
	if err != nil {
		return err
	}
	defer hold.Release()
	s, err := r.cpu(ctx, hold)
	if err != nil {
		return err
	}
	defer s.release()
	if err = r.decodeOne(ctx, key, c, b, part.Bytes, &s.Scratch); err != nil {
		r.Options.Cache.Forget(key)
	}
	return err
}

// edgeRoom is enough for an edge of as many axes as most arrays have.
const edgeRoom = 32

// edge appends how far the array reaches within an object along each axis, if it ends within it
// along one.
func (r *runner) edge(dst chunkcache.Edge, coord []int) chunkcache.Edge {
	ends := false
	for i, axis := range r.Layout.Axes {
		start, n := axis.Chunk(coord[i])
		if left := r.Layout.Shape[i] - start; left < n {
			ends, n = true, left
		}
		dst = binary.AppendUvarint(dst, uint64(n)) //nolint:gosec // not negative
	}
	if !ends {
		return dst[:0]
	}
	return dst
}

// cacheID is what a chunk that is all of an object is kept under.
func (r *runner) cacheID(key, pin string, c *pipeline.Chunk) chunkcache.ID {
	id := r.Options.Cache.ID(key, pin)
	if !r.Layout.Pipe.Even() {
		id.Shape = shapeText(c.Shape)
	}
	return id
}

func shapeText(shape []int) string {
	b := make([]byte, 0, 32)
	for _, n := range shape {
		b = binary.AppendUvarint(b, uint64(n)) //nolint:gosec // not negative
	}
	return string(b)
}

// hitKept reports that a chunk was in the cache.
func (r *runner) hitKept(ctx context.Context, key string, n int) {
	if r.trace != nil && r.trace.Hit != nil {
		r.trace.Hit(ctx, store.Hit{Key: key, Bytes: int64(n), Of: store.CachedChunk})
	}
}
