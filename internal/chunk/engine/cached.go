package engine

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/account"
	"github.com/zargo-io/zargo/internal/chunk/cache"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/internal/chunk/plan"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// This file reads through the chunk cache. A missing chunk is loaded once for all calls that need
// it, decoded into its own memory, cached, and copied to the memory of each call. A load holds a
// Task but no slot of a call, so calls that wait for loads of each other cannot deadlock.

// caches reports whether a read uses the cache. Check does not, nor do reads of too large chunks.
func (r *Call) caches(c *pipeline.Chunk) bool {
	return r.Options.Cache != nil && !r.memory.Discards() && r.Keeps(c)
}

// errUncached means that an object is not cached, and that the call adds nothing to the cache.
var errUncached = errors.New("not in the cache")

// readKept reads an unsharded chunk through the cache. It returns fault.NotFound if it is absent.
func (r *Call) readKept(ctx context.Context, o *plan.Object) error {
	e, _, err := r.kept(ctx, o, nil, r.cacheID(o.Key, "", o.Chunk), o.Whole())
	if err != nil {
		return err
	}
	return r.placeKept(ctx, o.Key, o.Chunk, o.Box, e)
}

// kept returns the chunk of an object or, if top is not nil, the index. If the cached state of the
// object is not valid, kept calls loadKept. known is the cached entry of the object.
func (r *Call) kept(ctx context.Context, o *plan.Object, top *plan.Level, id cache.ID, rd plan.Read) (e, known *cache.Entry, err error) {
	c := r.Options.Cache
	var room [edgeRoom]byte
	edge := cache.Edge(r.Layout.AppendEdge(room[:0], o.Coord))
	known, fresh := c.Object(o.Key, edge)
	if known != nil && !known.Absent {
		id.Pin = known.Pin
		e = c.Part(id)
	}
	switch {
	case fresh && known.Absent:
		c.Count(1, 0)
		r.hit(ctx, store.CachedChunk, o.Key, 0)
		return nil, nil, fault.NotFound
	case fresh && e != nil:
		c.Count(1, 0)
		if top != nil {
			r.hit(ctx, store.CachedIndex, o.Key, top.IndexSize())
		} else {
			r.hit(ctx, store.CachedChunk, o.Key, int64(len(e.Bytes)))
		}
		return e, known, nil
	case !r.keeps:
		return nil, nil, errUncached
	}
	c.Count(0, 1)
	return r.loadKept(ctx, top, cache.Load{ID: id, Edge: string(edge)}, rd, e, known)
}

// loadKept requests a chunk or an index, unless the object is unchanged. The result is cached
// before the load ends, so that later calls find it. Calls that arrive during a load share the
// load.
func (r *Call) loadKept(ctx context.Context, top *plan.Level, l cache.Load, rd plan.Read, e, known *cache.Entry) (_, now *cache.Entry, err error) {
	c, id := r.Options.Cache, l.ID
	l.Pin = ""
	if e != nil {
		l.Unless, rd.Unless = known.Version, known.Version
	}
	st, release, err := r.begun(ctx, rd)
	if err != nil {
		return nil, nil, err
	}
	defer release.Release()
	load := func(ctx context.Context, s cache.Stamp) (l cache.Loaded, err error) {
		// Another load may have cached the object since the lookup of this call.
		if now, fresh := c.Object(rd.Key, cache.Edge(s.Edge)); fresh && !now.Absent {
			id := id
			id.Pin = now.Pin
			if e := c.Part(id); e != nil {
				return cache.Loaded{Object: now, Parts: []cache.Part{{ID: id, Entry: e}}}, nil
			}
		}
		all, v, err := r.loadEntries(ctx, st, top, rd)
		switch {
		case errors.Is(err, fault.NotFound):
			l.Object = &cache.Entry{Absent: true}
			c.Keep(s, rd.Key, l.Object)
			return l, nil
		case errors.Is(err, fault.Unchanged):
			l.Object, l.Unchanged = known, true
			c.Revalidated(s, rd.Key, known)
			return l, nil
		case err != nil:
			return l, err
		}
		id := id
		l.Object = c.Found(v)
		id.Pin = l.Object.Pin
		l.Parts = []cache.Part{{ID: id, Entry: all[0]}}
		c.Keep(s, rd.Key, l.Object, l.Parts...)
		return l, nil
	}
	got, joined, err := r.join(ctx, l, load)
	if joined && err == nil && got.Object.Absent {
		// The object may have been stored since the joined load started, so load it again.
		got, _, err = r.join(ctx, l, load)
	}
	switch {
	case err != nil:
		return nil, nil, err
	case got.Object.Absent:
		return nil, nil, fault.NotFound
	case got.Unchanged:
		return e, known, nil
	}
	return got.Parts[0].Entry, got.Object, nil
}

// join calls [cache.Reader.Join]. It retries if the limits of another call stopped the load.
func (r *Call) join(ctx context.Context, l cache.Load, f func(context.Context, cache.Stamp) (cache.Loaded, error)) (got cache.Loaded, joined bool, err error) {
	for {
		got, joined, err = r.Options.Cache.Join(ctx, l, f)
		if !joined || !account.Refused(err) {
			return got, joined, err
		}
	}
}

// loadEntries requests chunks or, if l is not nil, the indexes of the shards of level l. It returns
// one entry for each piece.
func (r *Call) loadEntries(ctx context.Context, st store.Store, l *plan.Level, rd plan.Read) (all []*cache.Entry, v store.Version, err error) {
	if rd.Role != plan.Index && rd.Role != plan.InnerIndex {
		return r.loadPieces(ctx, st, rd)
	}
	err = r.loadIndexes(ctx, st, l, rd, func(_ int, x *shardIndex) {
		all, v = append(all, &cache.Entry{Index: x.ShardIndex}), x.version
	})
	return all, v, err
}

// loadPieces requests chunks and decodes them for the cache, on several cores if there are many.
func (r *Call) loadPieces(ctx context.Context, st store.Store, rd plan.Read) ([]*cache.Entry, store.Version, error) {
	at := r.size().Decoding(rd, r.size().First(rd))
	for _, p := range rd.Pieces {
		at.Room = plan.Sum(at.Room, p.Chunk().KeptRoom())
	}
	got, err := r.receive(ctx, st, rd, at.Room, nil)
	if err != nil {
		return nil, "", err
	}
	defer got.hold.Release()
	kept, pieces := make([]*cache.Entry, len(rd.Pieces)), rd.Pieces
	return kept, got.Version, concurrency.EachN(ctx, at.Slots, (len(pieces)-1)/at.Some+1, func(ctx context.Context, k int) error {
		s, err := r.cpu(ctx, got.hold)
		if err != nil {
			return err
		}
		defer s.release()
		for i := k * at.Some; i < min((k+1)*at.Some, len(pieces)); i++ {
			p := pieces[i]
			b, err := r.keepOne(ctx, rd.Key, p.Chunk(), p.Box(), rd.Of(p, got.Bytes), &s.Scratch)
			if err != nil {
				if p.Len >= 0 { // part of the object
					err = p.Named(err)
				}
				return err
			}
			kept[i] = &cache.Entry{Bytes: b}
		}
		return nil
	})
}

// placeKept copies a box of a cached chunk into r.memory. It drops the entry if it is corrupt.
func (r *Call) placeKept(ctx context.Context, key string, c *pipeline.Chunk, b grid.Box, part *cache.Entry) error {
	if !c.Varies() {
		c.Place(r.memory, b, part.Bytes)
		return nil
	}
	hold, err := r.reserve(ctx, concurrency.Task, plan.Room(c.DecodeRoom(r.memory, b)))
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

// edgeRoom is long enough for the edge of an array with a typical number of dimensions.
const edgeRoom = 32

// cacheID returns the cache ID of a chunk that is a whole object.
func (r *Call) cacheID(key, pin string, c *pipeline.Chunk) cache.ID {
	id := r.Options.Cache.ID(key, pin)
	if !r.Layout.Pipe.Even() {
		id.Shape = cache.ShapeText(c.Shape)
	}
	return id
}
