package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// index returns the index of a stored shard. current reports that it was read after the call began.
// Errors are those of source.top.
func (r *Call) index(ctx context.Context, top *plan.Level) (x *shardIndex, current bool, err error) {
	if x := r.State.indexes.Get(top.ID(0)); x != nil {
		r.hit(ctx, store.CachedIndex, top.ID(0).Key, top.IndexSize())
		return x, false, nil
	}
	rd := top.Index()
	st, release, err := r.begun(ctx, rd)
	if err != nil {
		return nil, false, err
	}
	defer release.Release()
	load := func(ctx context.Context) (*shardIndex, error) { return r.loadIndex(ctx, st, top, rd) }
	x, joined, err := r.State.loads.Do(ctx, rd.Key, load)
	if joined && errors.Is(err, fault.NotFound) {
		// That was so before this call began. A load that begins now, whichever call began it,
		// finds out how it is.
		x, _, err = r.State.loads.Do(ctx, rd.Key, load)
		joined = false
	}
	return x, !joined, err
}

// recheck reads the index of a stored shard unless the shard still has the version of x:
// fault.Unchanged then. After any other error x is dropped.
func (r *Call) recheck(ctx context.Context, top *plan.Level, x *shardIndex) (now *shardIndex, err error) {
	rd := top.Recheck(x.version)
	st, release, err := r.begun(ctx, rd)
	if err != nil {
		return nil, err
	}
	defer release.Release()
	if now, err = r.loadIndex(ctx, st, top, rd); err != nil && !errors.Is(err, fault.Unchanged) {
		r.State.indexes.Drop(top.ID(0), x)
	}
	return now, err
}

// loadIndex makes a request for one index and keeps it.
func (r *Call) loadIndex(ctx context.Context, st store.Store, l *plan.Level, rd plan.Read) (x *shardIndex, err error) {
	err = r.loadIndexes(ctx, st, l, rd, func(_ int, found *shardIndex) {
		x = found
		r.State.keep(x)
	})
	return x, err
}

// innerIndexes returns the indexes of shards within a version of an object, from the cache of
// indexes or in as few requests as the plan says.
func (r *Call) innerIndexes(ctx context.Context, l *plan.Level, v store.Version) (found []codec.ShardIndex, sent bool, err error) {
	found = make([]codec.ShardIndex, l.Len())
	for i := range found {
		if x := r.State.indexes.Get(l.ID(i)); x != nil && x.version == v {
			found[i] = x.ShardIndex
			r.hit(ctx, store.CachedIndex, l.ID(i).Key, l.IndexSize())
		}
	}
	reads, err := l.Indexes(found)
	if err != nil || reads.Len() == 0 {
		return found, false, err
	}
	return found, true, r.all(ctx, reads, func(ctx context.Context, st store.Store, rd plan.Read) error {
		if len(rd.Pieces) > 1 {
			return r.loadIndexes(ctx, st, l, rd, func(i int, x *shardIndex) {
				found[i] = x.ShardIndex
				r.State.keep(x)
			})
		}
		id := l.ID(rd.Pieces[0].I)
		name := fmt.Sprintf("%s\x00%s\x00%d %d %d", id.Key, v, id.Depth, id.Off, id.Len)
		x, _, err := r.State.loads.Do(ctx, name, func(ctx context.Context) (*shardIndex, error) { return r.loadIndex(ctx, st, l, rd) })
		if err == nil {
			found[rd.Pieces[0].I] = x.ShardIndex
		}
		return err
	})
}

// loadIndexes makes one request for indexes of the shards of a level. It passes each to take, by
// the number of the shard.
func (r *Call) loadIndexes(ctx context.Context, st store.Store, l *plan.Level, rd plan.Read, take func(int, *shardIndex)) error {
	got, err := r.receive(ctx, st, rd, rd.Bound, nil)
	if err != nil {
		return err
	}
	defer got.hold.Release()
	s, err := r.cpu(ctx, got.hold)
	if err != nil {
		return err
	}
	defer s.release()
	v := got.Version
	if l.Depth() > 0 {
		v = rd.Version
	}
	for _, p := range rd.Pieces {
		x, err := l.Decode(p.I, rd.Of(p, got.Bytes), got.Size)
		if err != nil {
			return err
		}
		take(p.I, &shardIndex{x, l.ID(p.I), v})
	}
	return nil
}

// storedIndex reads the index of a shard as it is now, or of a version unless that is "".
func (r *Call) storedIndex(ctx context.Context, o *plan.Object, version store.Version) (x *shardIndex, err error) {
	top := o.Stored()
	rd := top.Index()
	rd.Version = version
	st, release, err := r.begun(ctx, rd)
	if err != nil {
		return nil, err
	}
	defer release.Release()
	return r.loadIndex(ctx, st, top, rd)
}
