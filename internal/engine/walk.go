package engine

import (
	"context"
	"sync/atomic"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/store"
)

// source is where the indexes and the inner chunks of one shard come from, and where they go: to
// their place ([shard]), to their place through the cache ([keptShard]), or into a list of requests
// ([listed]).
type source interface {
	// top returns the shard and its index. current reports that the index is not older than the
	// call. fault.NotFound: the shard is absent. errNoRanges: the store cannot read parts of a shard.
	// errUncached: the cache lacks the index, and is not to have it.
	top(ctx context.Context) (l *plan.Level, found []codec.ShardIndex, current bool, err error)
	// confirm returns the index of the shard unless top returned it: fault.Unchanged.
	confirm(ctx context.Context, top *plan.Level) ([]codec.ShardIndex, error)
	// inner returns the indexes of shards within the shard. sent reports that it took requests.
	inner(ctx context.Context, l *plan.Level) (found []codec.ShardIndex, sent bool, err error)
	// expand says what to read of a level. What takes no request is at its place by then.
	expand(ctx context.Context, l *plan.Level, found []codec.ShardIndex) (plan.Stage, error)
	// fetch reads inner chunks of a level.
	fetch(ctx context.Context, l *plan.Level, reads plan.Reads) error
	// forget drops what is known of the shard, which was replaced.
	forget()
}

// walk reads what is wanted of the shards of a level, and of those within them, by the indexes of
// the level. sent reports that it took requests.
func (r *Call) walk(ctx context.Context, src source, l *plan.Level, found []codec.ShardIndex) (sent bool, err error) {
	stage, err := src.expand(ctx, l, found)
	if err != nil {
		return false, err
	}
	for next := range stage.Next(r.planned) {
		found, read, err := src.inner(ctx, next)
		if err != nil {
			return true, err
		}
		more, err := r.walk(ctx, src, next, found)
		if err != nil {
			return true, err
		}
		sent = sent || read || more
	}
	if stage.Reads.Len() == 0 {
		return sent, nil
	}
	return true, src.fetch(ctx, l, stage.Reads)
}

// shard is one version of a stored shard while it is read. As a source it reads the store, and
// decodes inner chunks to their place.
type shard struct {
	*plan.Object
	call    *Call
	index   *shardIndex
	missing atomic.Int64 // inner chunks that are not stored, the deepest ones
}

func (s *shard) top(ctx context.Context) (l *plan.Level, found []codec.ShardIndex, current bool, err error) {
	s.missing.Store(0)
	l = s.Shard()
	if s.index, current, err = s.call.index(ctx, l); err != nil {
		return nil, nil, false, err
	}
	return l, []codec.ShardIndex{s.index.ShardIndex}, current, nil
}

func (s *shard) confirm(ctx context.Context, top *plan.Level) ([]codec.ShardIndex, error) {
	now, err := s.call.recheck(ctx, top, s.index)
	if err != nil {
		return nil, err
	}
	s.missing.Store(0)
	s.index = now
	return []codec.ShardIndex{now.ShardIndex}, nil
}

func (s *shard) inner(ctx context.Context, l *plan.Level) (found []codec.ShardIndex, sent bool, err error) {
	return s.call.innerIndexes(ctx, l, s.index.version)
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

// all does something with each of several reads, concurrently as far as the call has slots. All of
// them are admitted or none. do holds a slot, and sends its request to the store that it is passed.
func (r *Call) all(ctx context.Context, reads plan.Reads, do func(context.Context, store.Store, plan.Read) error) error {
	st, err := r.account.AdmitAll(r.store, reads.Len(), reads.Bytes())
	if err != nil {
		return err
	}
	return concurrency.EachIn(ctx, r.slots, reads.All(), func(ctx context.Context, rd plan.Read) error { return do(ctx, st, rd) })
}
