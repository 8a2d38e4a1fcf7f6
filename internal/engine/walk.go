package engine

import (
	"context"

	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/codec"
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
