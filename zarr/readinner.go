package zarr

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/pipeline"
	"github.com/zargo-io/zargo/internal/shard"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// object is one version of a stored shard while parts of it are read.
type object struct {
	key     string
	version store.Version
	asked   atomic.Bool  // a request was made that would have found the version replaced
	missing atomic.Int64 // inner chunks that are not there, the deepest ones
}

// piece is an inner chunk of a cut, with its place in the object. It may be a shard itself.
type piece struct {
	cut *shard.Cut
	shard.Chunk
}

func (p piece) box() grid.Box { return p.cut.Box(p.I) }

// pieces are inner chunks of any number of shards of one object.
type pieces []piece

// chunk makes pieces a target: Read.Chunks count them.
func (p pieces) chunk(i int) (grid.Box, *shard.Layout) { return p[i].box(), p[i].cut.Layout() }

// chunks are the pieces as plans take them.
func (p pieces) chunks() []shard.Chunk {
	all := make([]shard.Chunk, len(p))
	for i, q := range p {
		all[i] = shard.Chunk{I: i, Off: q.Off, Len: q.Len}
	}
	return all
}

// locate finds the inner chunks of a cut in its shard, which begins at off in the object, and fills what is missing.
func (r *shardReader) locate(o *object, cut *shard.Cut, x *shardIndex, off int64) (pieces, error) {
	chunks, missing, err := cut.Locate(x.ShardIndex)
	if err != nil {
		return nil, err
	}
	o.missing.Add(r.fill(*cut, missing))
	all := make(pieces, len(chunks))
	for i, k := range chunks {
		k.Off += off
		all[i] = piece{cut, k}
	}
	return all, nil
}

// inner reads what is wanted of shards that lie in an object, all of one layout: their indexes in as few ranges as the
// store's numbers say, then so the inner chunks of them all, and of the shards within first their indexes again. A shard of
// which most is wanted is read with the inner chunks of the others. depth is 1 for the shards that the object's own index has.
func (r *shardReader) inner(ctx context.Context, o *object, l *shard.Layout, depth int, shards pieces) error {
	// So many at once that their indexes and plans take no more memory than the object's own.
	some := max(r.planned/pieceBytes/l.Len(), 1)
	for part := range slices.Chunk(shards, some) {
		var all pieces // to be read now
		var parts pieces
		for _, p := range part {
			if l.WholeOf(p.box(), p.Len) {
				all = append(all, p)
			} else {
				parts = append(parts, p)
			}
		}
		indexes, err := r.indexes(ctx, o, l, depth, parts)
		if err != nil {
			return err
		}
		var within pieces
		for i, p := range parts {
			cut := l.Cut(p.box())
			chunks, err := r.locate(o, &cut, indexes[i], p.Off)
			if err != nil {
				return innerErr(p.box(), err)
			}
			within = append(within, chunks...)
		}
		if l.Below == nil {
			all = append(all, within...)
		} else if err := r.inner(ctx, o, l.Below, depth+1, within); err != nil {
			return err
		}
		if err := r.spans(ctx, o, all, l.Merge(all.chunks())); err != nil {
			return err
		}
	}
	return nil
}

// pieceBytes is what one inner chunk of a shard in a shard takes while it is planned: its piece twice, a Chunk, its place in
// the index.
const pieceBytes = 112

// indexes gives the indexes of shards in an object, from the cache or in as few ranges as the store's numbers say.
func (r *shardReader) indexes(ctx context.Context, o *object, l *shard.Layout, depth int, shards pieces) ([]*shardIndex, error) {
	n, atStart := l.IndexSize()
	found := make([]*shardIndex, len(shards))
	var wanted []shard.Chunk
	for i, p := range shards {
		if p.Len < n {
			return nil, innerErr(p.box(), fault.Newf(fault.Corrupt, "the shard has %d bytes, its index alone %d", p.Len, n))
		}
		if found[i] = r.a.shared.indexes.get(indexKey{o.key, depth, p.Off, p.Len}); found[i] != nil && found[i].version == o.version {
			continue
		}
		k := shard.Chunk{I: i, Off: p.Off, Len: n}
		if !atStart {
			k.Off += p.Len - n
		}
		wanted = append(wanted, k)
	}
	reads := l.Merge(wanted)
	if err := r.allow.take(len(reads)); err != nil {
		return nil, err
	}
	return found, concurrency.Each(ctx, r.each, slices.Values(reads), func(ctx context.Context, rd shard.Read) error {
		if len(rd.Chunks) > 1 {
			return r.loadIndexes(ctx, o, l, depth, shards, rd, found)
		}
		// Goroutines that want the same one wait for the first.
		i := rd.Chunks[0].I
		name := fmt.Sprintf("%s\x00%s\x00%d %d %d", o.key, o.version, depth, shards[i].Off, shards[i].Len)
		x, joined, err := r.a.shared.loads.Do(ctx, name, func(ctx context.Context) (*shardIndex, error) {
			err := r.loadIndexes(ctx, o, l, depth, shards, rd, found)
			return found[i], err
		})
		if joined {
			found[i] = x
		}
		return err
	})
}

// loadIndexes reads one range, takes the indexes in it into found, and keeps them.
func (r *shardReader) loadIndexes(ctx context.Context, o *object, l *shard.Layout, depth int, shards pieces, rd shard.Read, found []*shardIndex) error {
	return r.pinned(ctx, o, rd, func(ctx context.Context, b []byte) error {
		slot, err := r.a.cfg.limits.CPU.Acquire(ctx)
		if err != nil {
			return err
		}
		defer slot.Release()
		for _, k := range rd.Chunks {
			p := shards[k.I]
			x := &shardIndex{version: o.version}
			if x.ShardIndex, err = l.Index(b[k.Off-rd.Off:k.Off-rd.Off+k.Len], p.Len); err != nil {
				return innerErr(p.box(), err)
			}
			found[k.I] = x
			r.a.shared.indexes.put(indexKey{o.key, depth, p.Off, p.Len}, x)
		}
		return nil
	})
}

// within decodes what is wanted of a shard whose bytes are all there.
func (r *shardReader) within(o *object, l *shard.Layout, b grid.Box, stored []byte, s *pipeline.Scratch) error {
	x, err := l.Shards.Cut(stored)
	if err != nil {
		return err
	}
	cut := l.Cut(b)
	chunks, missing, err := cut.Locate(x)
	if err != nil {
		return err
	}
	o.missing.Add(r.fill(cut, missing))
	for _, k := range chunks {
		if err := r.decodeOne(o, l, cut.Box(k.I), stored[k.Off:k.Off+k.Len], s); err != nil {
			return err
		}
	}
	return nil
}
