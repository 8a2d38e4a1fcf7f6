package engine

import (
	"context"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/pipeline"
	"github.com/zargo-io/zargo/internal/plan"
)

// StoredInner reads the index of one shard and counts the inner chunks that it stores, and those
// that it has room for, also beyond the array. region is what the array has of the shard.
// fault.NotFound: there is no such shard; fault.Corrupt: its index is damaged.
func (a *Array) StoredInner(ctx context.Context, region grid.Selection) (stored, room int, err error) {
	ctx, r, err := a.begin(ctx, pipeline.Memory{Shape: region.Shape()}, region, nil)
	if err != nil {
		return 0, 0, err
	}
	err = r.each(ctx, "read", func(ctx context.Context, o *plan.Object) error { // there is one
		hold, err := r.reserve(ctx, concurrency.Index, r.indexed(o))
		if err != nil {
			return err
		}
		defer hold.Release()
		x, err := r.storedIndex(ctx, o, "")
		if err != nil {
			return err
		}
		room = x.Len()
		for place := range room {
			if _, _, ok, err := x.At(place); err != nil {
				return err
			} else if ok {
				stored++
			}
		}
		return nil
	})
	return stored, room, err
}
