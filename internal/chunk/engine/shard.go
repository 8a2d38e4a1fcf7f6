package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/plan"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// top returns the index in r.State or reads it. Concurrent calls share one request for the index.
func (s *shard) top(ctx context.Context) (l *plan.Level, found []codec.ShardIndex, current bool, err error) {
	r := s.call
	l = s.Shard()
	s.missing.Store(0)
	if s.index = r.State.indexes.Get(l.ID(0)); s.index != nil {
		r.hit(ctx, store.CachedIndex, s.Key, l.IndexSize())
		return l, []codec.ShardIndex{s.index.ShardIndex}, false, nil
	}
	rd := l.Index()
	st, slot, err := r.begun(ctx, rd)
	if err != nil {
		return nil, nil, false, err
	}
	defer slot.Release()
	load := func(ctx context.Context) (*shardIndex, error) { return r.loadIndex(ctx, st, l, rd) }
	x, joined, err := r.State.loads.Do(ctx, rd.Key, load)
	if joined && errors.Is(err, fault.NotFound) {
		// The shard may have been stored since the joined load started, so load it again.
		x, _, err = r.State.loads.Do(ctx, rd.Key, load)
		joined = false
	}
	if err != nil {
		return nil, nil, false, err
	}
	s.index = x
	return l, []codec.ShardIndex{x.ShardIndex}, !joined, nil
}

// confirm reads the index unless the shard still has the version of the known index. It drops the
// known index after any error except fault.Unchanged.
func (s *shard) confirm(ctx context.Context, top *plan.Level) ([]codec.ShardIndex, error) {
	r := s.call
	rd := top.Recheck(s.index.version)
	st, slot, err := r.begun(ctx, rd)
	if err != nil {
		return nil, err
	}
	defer slot.Release()
	now, err := r.loadIndex(ctx, st, top, rd)
	if err != nil {
		if !errors.Is(err, fault.Unchanged) {
			s.forget()
		}
		return nil, err
	}
	s.missing.Store(0)
	s.index = now
	return []codec.ShardIndex{now.ShardIndex}, nil
}

// inner returns indexes from r.State. It reads the other indexes, in as few requests as planned.
func (s *shard) inner(ctx context.Context, l *plan.Level) (found []codec.ShardIndex, sent bool, err error) {
	r, v := s.call, s.index.version
	found = make([]codec.ShardIndex, l.Len())
	for i := range found {
		if x := r.State.indexes.Get(l.ID(i)); x != nil && x.version == v {
			found[i] = x.ShardIndex
			r.hit(ctx, store.CachedIndex, s.Key, l.IndexSize())
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

func (s *shard) expand(ctx context.Context, l *plan.Level, found []codec.ShardIndex) (plan.Stage, error) {
	stage, err := l.Expand(s.index.version, found)
	if err == nil {
		s.call.fill(ctx, s, stage.Missing)
	}
	return stage, err
}

func (s *shard) fetch(ctx context.Context, _ *plan.Level, reads plan.Reads) error {
	r := s.call
	st, err := r.account.AdmitAll(r.store, reads.Len(), reads.Bytes())
	if err != nil {
		return err
	}
	return concurrency.EachIn(ctx, r.slots, reads.All(), func(ctx context.Context, rd plan.Read) error { return r.fetchAdmitted(ctx, st, s, rd) })
}

func (s *shard) forget() { s.call.State.indexes.Drop(plan.IndexID{Key: s.Key}, s.index) }
