package engine

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// shard is one version of a stored shard while it is read.
type shard struct {
	*plan.Object
	missing atomic.Int64 // inner chunks that are not there, the deepest ones
}

// maxReplaced bounds how often a shard is begun again because it was replaced in the middle of
// reading it. Each time means that a writer succeeded, so this many in a row is a store that
// misreports its versions.
const maxReplaced = 100

// readShard takes what is selected of one shard to its place, all of it from one version.
func (r *runner) readShard(ctx context.Context, o *plan.Object) error {
	missing, err := r.readParts(ctx, o)
	if errors.Is(err, fault.NotFound) {
		r.fillOne(ctx, o.Key, o.Chunk, o.Box)
		missing, err = o.Touched(), nil
	}
	if err == nil {
		r.account.Chunks(o.Touched(), missing)
	}
	return err
}

// readParts reads a shard at once or in parts, as the plan says and the store can. fault.NotFound
// when there is none.
func (r *runner) readParts(ctx context.Context, o *plan.Object) (missing int, err error) {
	only := r.State.whole.Load()
	if !o.InParts && !only {
		// One with too much unused space to be read whole is read in parts after all.
		if missing, err = r.readWhole(ctx, o, o.Whole()); !errors.Is(err, errTooLong) {
			return missing, err
		}
	}
	for try := 1; !only; try++ {
		missing, err = r.readVersion(ctx, o)
		switch {
		case errors.Is(err, errWhole):
			only = true
		case !errors.Is(err, fault.Conflict) || try == maxReplaced:
			return missing, err
		}
	}
	rd := o.Whole()
	rd.Bound = r.Options.longest(o.Chunk)
	return r.readWhole(ctx, o, rd)
}

// readWhole reads a shard with one request.
func (r *runner) readWhole(ctx context.Context, o *plan.Object, rd plan.Read) (missing int, err error) {
	s := &shard{Object: o}
	err = r.fetch(ctx, s, rd)
	return int(s.missing.Load()), err
}

// readVersion reads a shard in parts, all of one version: fault.Conflict when it was replaced
// meanwhile.
func (r *runner) readVersion(ctx context.Context, o *plan.Object) (missing int, err error) {
	hold, err := r.reserve(ctx, concurrency.Index, r.indexed(o))
	if err != nil {
		return 0, err
	}
	defer hold.Release()
	top := o.Shard()
	x, fresh, err := r.index(ctx, top)
	if err != nil {
		return 0, err
	}
	r.price(top)
	missing, asked, err := r.readParted(ctx, o, top, x)
	if err == nil && !asked && !fresh {
		// Nothing was read that could find the index stale, so it is asked whether it is.
		var now *shardIndex
		switch now, err = r.recheck(ctx, top, x); {
		case errors.Is(err, fault.Unchanged):
			return missing, nil
		case err != nil:
			r.State.indexes.drop(top.ID(0), x)
			return 0, err
		}
		x = now
		missing, _, err = r.readParted(ctx, o, top, x)
	}
	if errors.Is(err, fault.Conflict) {
		r.State.indexes.drop(top.ID(0), x)
	}
	return missing, err
}

// readParted reads what an index says; asked reports whether the store was asked for anything.
func (r *runner) readParted(ctx context.Context, o *plan.Object, top *plan.Level, x *shardIndex) (missing int, asked bool, err error) {
	s := &shard{Object: o}
	asked, err = r.level(ctx, s, top, x.version, []codec.ShardIndex{x.ShardIndex})
	return int(s.missing.Load()), asked, err
}

// level reads what is wanted of the shards of one depth, and of those within them, by the indexes
// of the level.
func (r *runner) level(ctx context.Context, s *shard, l *plan.Level, v store.Version, found []codec.ShardIndex) (asked bool, err error) {
	stage, err := l.Expand(v, found)
	if err != nil {
		return false, err
	}
	r.fill(ctx, s, stage.Missing)
	for next := range stage.Next(r.planned) {
		found, read, err := r.innerIndexes(ctx, next, v)
		if err != nil {
			return true, err
		}
		more, err := r.level(ctx, s, next, v, found)
		if err != nil {
			return true, err
		}
		asked = asked || read || more
	}
	if stage.Reads.Len() == 0 {
		return asked, nil
	}
	return true, r.fetchAll(ctx, s, stage.Reads)
}
