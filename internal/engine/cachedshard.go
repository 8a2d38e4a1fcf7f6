package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunkcache"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Through a cache a shard is read in parts, also where one request for all of it were cheaper: its
// index and its inner chunks are kept each by itself, under the version that the object had.

// readCachedShard is readShard, through the cache. A store that cannot give parts of an object, all
// of one version, is read without it.
func (r *runner) readCachedShard(ctx context.Context, o *plan.Object) error {
	for try := 1; !r.State.whole.Load(); try++ {
		missing, err := r.readCachedVersion(ctx, o)
		switch {
		case errors.Is(err, errWhole):
			continue // it is known of the store now
		case errors.Is(err, errUncached):
			return r.readShard(ctx, o)
		case errors.Is(err, fault.Conflict):
			if r.Options.Cache.Forget(o.Key); try < maxReplaced {
				continue
			}
		case errors.Is(err, fault.NotFound):
			r.fillOne(ctx, o.Key, o.Chunk, o.Box)
			missing, err = o.Touched(), nil
		}
		if err == nil {
			r.account.Chunks(o.Touched(), missing)
		}
		return err
	}
	return r.readShard(ctx, o)
}

// errUncached says that the cache does not have the index of a shard, and is not to have it.
var errUncached = errors.New("not in the cache")

// readCachedVersion reads what is wanted of one version of a shard. fault.NotFound when there is
// none, fault.Conflict when it was replaced meanwhile.
func (r *runner) readCachedVersion(ctx context.Context, o *plan.Object) (missing int, err error) {
	hold, err := r.reserve(ctx, concurrency.Index, r.indexed(o))
	if err != nil {
		return 0, err
	}
	defer hold.Release()
	top := o.Shard().InParts()
	x, known, err := r.cachedIndex(ctx, o, top)
	if err != nil {
		return 0, err
	}
	r.price(top)
	s := &cachedShard{shard: &shard{Object: o}, known: known}
	err = r.cachedLevel(ctx, s, top, []codec.ShardIndex{x})
	return int(s.missing.Load()), err
}

// cachedShard is one version of a shard while it is read through the cache.
type cachedShard struct {
	*shard
	known *chunkcache.Entry // of the object: its version
}

// cachedIndex gives the index of a stored shard, as the cache has it or as it is now. Errors are
// those of index.
func (r *runner) cachedIndex(ctx context.Context, o *plan.Object, top *plan.Level) (x codec.ShardIndex, known *chunkcache.Entry, err error) {
	c := r.Options.Cache
	var room [edgeRoom]byte
	edge := r.edge(room[:0], o.Coord)
	known, fresh := c.Object(o.Key, edge)
	if fresh && known.Absent {
		c.Count(1, 0)
		r.hitKept(ctx, o.Key, 0)
		return x, known, fault.Newf(fault.NotFound, "the shard was absent when it was last asked for")
	}
	var part *chunkcache.Entry
	if known != nil && !known.Absent {
		part = c.Part(r.indexID(o, top, 0, known.Pin))
	}
	if fresh && part != nil {
		c.Count(1, 0)
		r.hit(ctx, top, 0)
		return part.Index, known, nil
	}
	if !r.keeps {
		return x, nil, errUncached
	}
	c.Count(0, 1)
	var rd plan.Read
	l := chunkcache.Load{ID: r.indexID(o, top, 0, ""), Edge: string(edge)}
	if part != nil && known.Version != "" {
		l.Unless, rd = known.Version, top.Recheck(known.Version)
	} else {
		reads, err := top.Indexes(make([]codec.ShardIndex, 1))
		if err != nil {
			return x, nil, err
		}
		for rd = range reads.All() { // it is one
		}
	}
	if err := r.account.Admit(1, rd.Known()); err != nil {
		return x, nil, err
	}
	if err := r.slots.Acquire(ctx); err != nil {
		return x, nil, err
	}
	defer r.slots.Release()
	got, err := r.joinCached(ctx, l, func(ctx context.Context, s chunkcache.Stamp) (chunkcache.Loaded, error) {
		return r.loadCachedIndex(ctx, o, top, rd, known, s)
	})
	switch {
	case err != nil:
		return x, nil, err
	case got.Object.Absent:
		return x, nil, fault.Newf(fault.NotFound, "the shard is absent")
	case got.Unchanged:
		return part.Index, known, nil
	}
	return got.Parts[0].Index, got.Object, nil
}

// loadCachedIndex reads the index of a stored shard and keeps it.
func (r *runner) loadCachedIndex(ctx context.Context, o *plan.Object, top *plan.Level, rd plan.Read, known *chunkcache.Entry, s chunkcache.Stamp) (l chunkcache.Loaded, err error) {
	c := r.Options.Cache
	if now, fresh := c.Object(rd.Key, chunkcache.Edge(s.Edge)); fresh && !now.Absent { // since this call looked
		id := r.indexID(o, top, 0, now.Pin)
		if part := c.Part(id); part != nil {
			return chunkcache.Loaded{Object: now, Parts: []chunkcache.Part{{ID: id, Entry: part}}}, nil
		}
	}
	got, err := r.receive(ctx, rd, rd.Bound)
	if l, done := r.looked(rd.Key, known, s, err); done {
		return l, nil
	} else if err != nil {
		return l, err
	}
	defer got.hold.Release()
	slot, err := r.cpu(ctx, got.hold)
	if err != nil {
		return l, err
	}
	defer slot.release()
	x, err := top.Decode(0, got.Bytes, got.Size)
	if err != nil {
		return l, err
	}
	l.Object = c.Found(got.Version)
	l.Parts = []chunkcache.Part{{ID: r.indexID(o, top, 0, l.Object.Pin), Entry: &chunkcache.Entry{Index: x}}}
	c.Keep(s, rd.Key, l.Object, l.Parts...)
	return l, nil
}

// cachedLevel is level, through the cache.
func (r *runner) cachedLevel(ctx context.Context, s *cachedShard, l *plan.Level, found []codec.ShardIndex) (err error) {
	c, hits, misses := r.Options.Cache, 0, 0
	var failed error
	stage, err := l.ExpandWithout(s.known.Version, found, func(p plan.Piece) bool {
		part := c.Part(r.pieceID(s.Object, l, p, s.known.Pin))
		if part == nil || failed != nil {
			misses++
			return false
		}
		hits++
		r.hitKept(ctx, s.Key, len(part.Bytes))
		if failed = r.placeKept(ctx, s.Key, p.Chunk(), p.Box(), part); failed != nil {
			failed = p.Named(failed)
		}
		return true
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	c.Count(hits, misses)
	r.fill(ctx, s.shard, stage.Missing)
	for next := range stage.Next(r.planned) {
		found, err := r.cachedIndexes(ctx, s, next)
		if err == nil {
			err = r.cachedLevel(ctx, s, next, found)
		}
		if err != nil {
			return err
		}
	}
	if stage.Reads.Len() == 0 {
		return nil
	}
	if !r.keeps {
		return r.fetchAll(ctx, s.shard, stage.Reads)
	}
	return r.all(ctx, stage.Reads, func(ctx context.Context, rd plan.Read) error { return r.fetchCached(ctx, s, l, rd) })
}

// cachedIndexes is innerIndexes, through the cache.
func (r *runner) cachedIndexes(ctx context.Context, s *cachedShard, l *plan.Level) ([]codec.ShardIndex, error) {
	c, found, hits := r.Options.Cache, make([]codec.ShardIndex, l.Len()), 0
	for i := range found {
		if part := c.Part(r.indexID(s.Object, l, i, s.known.Pin)); part != nil {
			found[i] = part.Index
			hits++
			r.hit(ctx, l, i)
		}
	}
	c.Count(hits, len(found)-hits)
	reads, err := l.Indexes(found)
	if err != nil || reads.Len() == 0 {
		return found, err
	}
	return found, r.all(ctx, reads, func(ctx context.Context, rd plan.Read) error {
		got, _, err := c.Join(ctx, r.rangeLoad(s, l, rd), func(ctx context.Context, stamp chunkcache.Stamp) (chunkcache.Loaded, error) {
			loaded := chunkcache.Loaded{Parts: make([]chunkcache.Part, 0, len(rd.Pieces))}
			err := r.loadInner(ctx, l, s.known.Version, rd, func(i int, x codec.ShardIndex) {
				loaded.Parts = append(loaded.Parts, chunkcache.Part{ID: r.indexID(s.Object, l, i, s.known.Pin), Entry: &chunkcache.Entry{Index: x}})
			})
			if err == nil {
				c.Keep(stamp, s.Key, nil, loaded.Parts...)
			}
			return loaded, err
		})
		if err != nil {
			return err
		}
		for k, p := range rd.Pieces {
			found[p.I] = got.Parts[k].Index
		}
		return nil
	})
}

// fetchCached makes one request for inner chunks, or waits for another call's, takes them to their
// places, and keeps them.
func (r *runner) fetchCached(ctx context.Context, s *cachedShard, l *plan.Level, rd plan.Read) error {
	c := r.Options.Cache
	got, _, err := c.Join(ctx, r.rangeLoad(s, l, rd), func(ctx context.Context, begun chunkcache.Stamp) (chunkcache.Loaded, error) {
		loaded := r.arrived(s, l, rd)
		if loaded.Parts != nil {
			return loaded, nil
		}
		loaded, err := r.loadPieces(ctx, s, l, rd)
		if err == nil {
			c.Keep(begun, s.Key, nil, loaded.Parts...)
		}
		return loaded, err
	})
	if err != nil {
		return err
	}
	for k, p := range rd.Pieces {
		if err := r.placeKept(ctx, s.Key, p.Chunk(), p.Box(), got.Parts[k].Entry); err != nil {
			return p.Named(err)
		}
	}
	return nil
}

// arrived gives the inner chunks of a request if all of them came into the cache since this call
// looked.
func (r *runner) arrived(s *cachedShard, l *plan.Level, rd plan.Read) chunkcache.Loaded {
	parts := make([]chunkcache.Part, len(rd.Pieces))
	for i, p := range rd.Pieces {
		id := r.pieceID(s.Object, l, p, s.known.Pin)
		part := r.Options.Cache.Part(id)
		if part == nil {
			return chunkcache.Loaded{}
		}
		parts[i] = chunkcache.Part{ID: id, Entry: part}
	}
	return chunkcache.Loaded{Parts: parts}
}

// loadPieces reads inner chunks and decodes them, on several cores where there are many.
func (r *runner) loadPieces(ctx context.Context, s *cachedShard, l *plan.Level, rd plan.Read) (loaded chunkcache.Loaded, err error) {
	at := r.atOnce(rd)
	var kept int64
	for _, p := range rd.Pieces {
		kept = sum(kept, int64(p.Chunk().Bytes))
	}
	got, err := r.receive(ctx, rd, sum(at.room, kept))
	if err != nil {
		return loaded, err
	}
	defer got.hold.Release()
	loaded.Parts = make([]chunkcache.Part, len(rd.Pieces))
	numbers := make([]int, len(rd.Pieces))
	for i := range numbers {
		numbers[i] = i
	}
	return loaded, concurrency.Each(ctx, at.slots, slices.Chunk(numbers, at.some), func(ctx context.Context, some []int) error {
		for _, i := range some {
			p := rd.Pieces[i]
			b, err := r.keptOf(ctx, got, p.Chunk(), rd.Key, p.Box(), rd.Of(p, got.Bytes))
			if err != nil {
				return p.Named(err)
			}
			loaded.Parts[i] = chunkcache.Part{ID: r.pieceID(s.Object, l, p, s.known.Pin), Entry: &chunkcache.Entry{Bytes: b}}
		}
		return nil
	})
}

// pieceID is what an inner chunk is kept under: the bytes of one version of an object that it is
// decoded of.
func (r *runner) pieceID(o *plan.Object, l *plan.Level, p plan.Piece, pin string) chunkcache.ID {
	id := r.cacheID(o.Key, pin, o.Chunk)
	id.Depth, id.Off, id.Len = l.Depth()+1, p.Off, p.Len
	return id
}

// indexID is what the index of the i-th shard of a level is kept under.
func (r *runner) indexID(o *plan.Object, l *plan.Level, i int, pin string) chunkcache.ID {
	id, at := r.cacheID(o.Key, pin, o.Chunk), l.ID(i)
	id.Kind, id.Depth, id.Off, id.Len = chunkcache.Index, at.Depth, at.Off, at.Len
	return id
}

// rangeLoad names the load of several pieces by one request.
func (r *runner) rangeLoad(s *cachedShard, l *plan.Level, rd plan.Read) chunkcache.Load {
	id := r.cacheID(s.Key, s.known.Pin, s.Chunk)
	id.Kind, id.Depth = chunkcache.Chunk, l.Depth()+1
	if rd.Role == plan.InnerIndex {
		id.Kind = chunkcache.Index
	}
	pieces := make([]byte, 0, 4*len(rd.Pieces))
	for _, p := range rd.Pieces {
		pieces = binary.AppendVarint(binary.AppendVarint(pieces, p.Off), p.Len)
	}
	return chunkcache.Load{ID: id, Pieces: string(pieces)}
}
