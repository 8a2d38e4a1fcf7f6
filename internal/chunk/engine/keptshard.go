package engine

import (
	"context"
	"encoding/binary"

	"github.com/zargo-io/zargo/internal/chunk/cache"
	"github.com/zargo-io/zargo/internal/chunk/plan"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/store"
)

// keptShard reads a shard through the cache, always in parts, even if one request for the whole
// shard is cheaper. The index and the inner chunks are separate entries, all of one version.
type keptShard struct {
	shard
	known *cache.Entry // cache entry of the object, with its version
}

// top returns the index from the cache. If the index is missing or may be stale, top loads it.
func (s *keptShard) top(ctx context.Context) (l *plan.Level, found []codec.ShardIndex, current bool, err error) {
	s.missing.Store(0)
	l = s.Shard().InRanges()
	e, known, err := s.call.kept(ctx, s.Object, l, s.indexID(l, 0), l.Index())
	if err != nil {
		return nil, nil, false, err
	}
	s.known = known
	return l, []codec.ShardIndex{e.Index}, true, nil
}

func (s *keptShard) inner(ctx context.Context, l *plan.Level) (found []codec.ShardIndex, sent bool, err error) {
	r, c := s.call, s.call.Options.Cache
	found = make([]codec.ShardIndex, l.Len())
	hits := 0
	for i := range found {
		if e := c.Part(s.indexID(l, i)); e != nil {
			found[i] = e.Index
			hits++
			r.hit(ctx, store.CachedIndex, s.Key, l.IndexSize())
		}
	}
	c.Count(hits, len(found)-hits)
	reads, err := l.Indexes(found)
	if err != nil || reads.Len() == 0 {
		return found, false, err
	}
	return found, true, r.all(ctx, reads, func(ctx context.Context, st store.Store, rd plan.Read) error {
		got, err := s.load(ctx, st, l, rd)
		if err != nil {
			return err
		}
		for k, p := range rd.Pieces {
			found[p.I] = got[k].Index
		}
		return nil
	})
}

// expand copies the cached inner chunks to memory. The reads are those of the other inner chunks.
func (s *keptShard) expand(ctx context.Context, l *plan.Level, found []codec.ShardIndex) (plan.Stage, error) {
	r, hits, misses := s.call, 0, 0
	var failed error
	stage, err := l.ExpandWithout(s.known.Version, found, func(p plan.Piece) bool {
		e := r.Options.Cache.Part(s.pieceID(l, p))
		if e == nil || failed != nil {
			misses++
			return false
		}
		hits++
		r.hit(ctx, store.CachedChunk, s.Key, int64(len(e.Bytes)))
		if failed = r.placeKept(ctx, s.Key, p.Chunk(), p.Box(), e); failed != nil {
			failed = p.Named(failed)
		}
		return true
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return stage, err
	}
	r.Options.Cache.Count(hits, misses)
	r.fill(ctx, &s.shard, stage.Missing)
	return stage, nil
}

// fetch decodes and caches whole inner chunks. If the read does not add to the cache, shard.fetch
// is used instead.
func (s *keptShard) fetch(ctx context.Context, l *plan.Level, reads plan.Reads) error {
	r := s.call
	if !r.keeps {
		return s.shard.fetch(ctx, l, reads)
	}
	return r.all(ctx, reads, func(ctx context.Context, st store.Store, rd plan.Read) error {
		got, err := s.load(ctx, st, l, rd)
		if err != nil {
			return err
		}
		for k, p := range rd.Pieces {
			if err := r.placeKept(ctx, s.Key, p.Chunk(), p.Box(), got[k].Entry); err != nil {
				return p.Named(err)
			}
		}
		return nil
	})
}

func (s *keptShard) forget() { s.call.Options.Cache.Forget(s.Key) }

// load sends one request for indexes or inner chunks and caches them, or waits for the same request
// of another call. It makes the IDs before the load, because a load may outlive the call that
// started it, and this call may later read another version of the shard.
func (s *keptShard) load(ctx context.Context, st store.Store, l *plan.Level, rd plan.Read) ([]cache.Part, error) {
	r, parts := s.call, make([]cache.Part, len(rd.Pieces))
	for k, p := range rd.Pieces {
		if parts[k].ID = s.pieceID(l, p); rd.Role == plan.InnerIndex {
			parts[k].ID = s.indexID(l, p.I)
		}
	}
	got, _, err := r.join(ctx, s.loadID(l, rd), func(ctx context.Context, begun cache.Stamp) (cache.Loaded, error) {
		cached := true // false if the load sent a request
		for k, p := range parts {
			parts[k].Entry = r.Options.Cache.Part(p.ID)
			cached = cached && parts[k].Entry != nil
		}
		if cached {
			return cache.Loaded{Parts: parts}, nil
		}
		all, _, err := r.loadEntries(ctx, st, l, rd)
		if err != nil {
			return cache.Loaded{}, err
		}
		for k, e := range all {
			parts[k].Entry = e
		}
		r.Options.Cache.Keep(begun, s.Key, nil, parts...)
		return cache.Loaded{Parts: parts}, nil
	})
	return got.Parts, err
}

// pieceID returns the cache ID of an inner chunk in the known version of the shard.
func (s *keptShard) pieceID(l *plan.Level, p plan.Piece) cache.ID {
	return s.id(cache.Chunk, l.Depth()+1, p.Off, p.Len)
}

// indexID returns the cache ID of the index of the i-th shard of a level.
func (s *keptShard) indexID(l *plan.Level, i int) cache.ID {
	at := l.ID(i)
	return s.id(cache.Index, at.Depth, at.Off, at.Len)
}

// id returns the cache ID of a range of bytes in the known version of the object.
func (s *keptShard) id(k cache.Kind, depth int, off, n int64) cache.ID {
	pin := ""
	if s.known != nil {
		pin = s.known.Pin
	}
	id := s.call.cacheID(s.Key, pin, s.Chunk)
	id.Kind, id.Depth, id.Off, id.Len = k, depth, off, n
	return id
}

// loadID returns the identity of the load of several pieces by one request.
func (s *keptShard) loadID(l *plan.Level, rd plan.Read) cache.Load {
	kind := cache.Chunk
	if rd.Role == plan.InnerIndex {
		kind = cache.Index
	}
	pieces := make([]byte, 0, 4*len(rd.Pieces))
	for _, p := range rd.Pieces {
		pieces = binary.AppendVarint(binary.AppendVarint(pieces, p.Off), p.Len)
	}
	return cache.Load{ID: s.id(kind, l.Depth()+1, 0, -1), Pieces: string(pieces)}
}
