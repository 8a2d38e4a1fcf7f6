package engine

import (
	"context"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/pipeline"
)

// StoredInner reads the index of one shard and counts the inner chunks that it stores, and those
// that it has room for, also beyond the array. region is what the array has of the shard.
// fault.NotFound: there is no such shard; fault.Corrupt: its index is damaged.
func (a *Array) StoredInner(ctx context.Context, region grid.Selection) (stored, room int, err error) {
	ctx, r, err := a.begin(ctx, pipeline.Memory{Shape: region.Shape()}, region, nil)
	if err != nil {
		return 0, 0, err
	}
	for o := range r.plan.Objects() {
		if o.Err != nil {
			return 0, 0, r.failed("read", o, o.Err)
		}
		hold, err := r.reserve(ctx, concurrency.Index, r.indexed(o))
		if err != nil {
			return 0, 0, err
		}
		x, _, err := r.storedStage(ctx, o, "")
		if err != nil {
			hold.Release()
			return 0, 0, r.failed("read", o, err)
		}
		for place := range x.Len() {
			_, _, ok, err := x.At(place)
			if err != nil {
				hold.Release()
				return 0, 0, r.failed("read", o, err)
			}
			if ok {
				stored++
			}
		}
		room += x.Len()
		hold.Release()
	}
	return stored, room, nil
}
