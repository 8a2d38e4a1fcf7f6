package engine

import (
	"context"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/internal/chunk/plan"
	"github.com/zargo-io/zargo/zarr/store"
)

// loadIndex requests one index and keeps it in r.State.
func (r *Call) loadIndex(ctx context.Context, st store.Store, l *plan.Level, rd plan.Read) (x *shardIndex, err error) {
	err = r.loadIndexes(ctx, st, l, rd, func(_ int, found *shardIndex) {
		x = found
		r.State.keep(x)
	})
	return x, err
}

// loadIndexes requests several indexes of a level in one request and calls take for each index.
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

// storedIndex reads the index of a shard, of the current version if version is "".
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

// StoredInner reads the index of a shard. region has the elements of the shard inside the array.
// StoredInner returns the number of stored inner chunks and of all inner chunks, including those
// beyond the array, fault.NotFound if the shard is absent, and fault.Corrupt if its index is
// damaged.
func (a *Array) StoredInner(ctx context.Context, region grid.Selection) (stored, total int, err error) {
	ctx, r, err := a.begin(ctx, pipeline.Memory{Shape: region.Shape()}, region, nil)
	if err != nil {
		return 0, 0, err
	}
	err = r.each(ctx, "read", func(ctx context.Context, o *plan.Object) error { // called once
		hold, err := r.reserve(ctx, concurrency.Index, r.indexed(o))
		if err != nil {
			return err
		}
		defer hold.Release()
		x, err := r.storedIndex(ctx, o, "")
		if err != nil {
			return err
		}
		total = x.Len()
		for place := range total {
			if _, _, ok, err := x.At(place); err != nil {
				return err
			} else if ok {
				stored++
			}
		}
		return nil
	})
	return stored, total, err
}
