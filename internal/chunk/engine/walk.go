package engine

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/plan"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
)

// walk reads the selected inner chunks of the shards of l and of nested shards. found has the
// indexes of the shards of l. sent reports whether it sent requests.
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

// source supplies the indexes and the inner chunks of one shard. [shard] decodes inner chunks to
// memory, [keptShard] does so through the cache, and [listed] only lists the requests.
type source interface {
	// top returns the shard and its index. current reports that the index is not older than the
	// call. The error is fault.NotFound if the shard is absent, plan.ErrNoRanges if the store
	// cannot read ranges, and errUncached if the index is not cached and the call adds nothing to
	// the cache.
	top(ctx context.Context) (l *plan.Level, found []codec.ShardIndex, current bool, err error)
	// confirm returns the current index, or fault.Unchanged if top returned the same index.
	confirm(ctx context.Context, top *plan.Level) ([]codec.ShardIndex, error)
	// inner returns the indexes of the nested shards of l. sent reports whether it sent requests.
	inner(ctx context.Context, l *plan.Level) (found []codec.ShardIndex, sent bool, err error)
	// expand returns the reads of a level, and sets the elements that need no request.
	expand(ctx context.Context, l *plan.Level, found []codec.ShardIndex) (plan.Stage, error)
	// fetch reads inner chunks of a level.
	fetch(ctx context.Context, l *plan.Level, reads plan.Reads) error
	// forget drops the cached state of the shard after the shard was replaced.
	forget()
}

// readRanges reads a shard in parts, all of one version. If the shard is replaced meanwhile, it
// starts again. Its errors are those of source.top.
func (r *Call) readRanges(ctx context.Context, o *plan.Object, src source) error {
	for try := 1; ; try++ {
		err := r.readVersion(ctx, o, src)
		if !errors.Is(err, fault.Conflict) {
			return err
		}
		if src.forget(); try == maxReplaced {
			return err
		}
	}
}

// readVersion reads one version of a shard in parts, or returns fault.Conflict if it is replaced.
func (r *Call) readVersion(ctx context.Context, o *plan.Object, src source) error {
	hold, err := r.reserve(ctx, concurrency.Index, r.indexed(o))
	if err != nil {
		return err
	}
	defer hold.Release()
	top, found, current, err := src.top(ctx)
	if err != nil {
		return err
	}
	sent, err := r.walk(ctx, src, top, found)
	if err != nil || sent || current {
		return err
	}
	// As no request was sent, the index may be stale.
	found, err = src.confirm(ctx, top)
	switch {
	case errors.Is(err, fault.Unchanged):
		return nil
	case err != nil:
		return err
	}
	_, err = r.walk(ctx, src, top, found)
	return err
}

// maxReplaced bounds how often the read of a shard is restarted. Each restart means that a writer
// replaced the shard. More restarts mean that the store reports wrong versions.
const maxReplaced = 100
