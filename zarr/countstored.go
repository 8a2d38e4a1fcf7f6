package zarr

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
)

// CountStored reads the index of the shard at a position of the grid. It returns the number of
// inner chunks that the shard contains and the number that it can contain, including those beyond
// the array.
//
// CountStored returns ErrNotFound if the shard does not exist, ErrCorrupt if its index is damaged,
// ErrSelection if coord is outside the grid, and errors.ErrUnsupported if the array is not
// sharded.
func (a *Array) CountStored(ctx context.Context, coord ...int) (stored, total int, err error) {
	if !a.Sharded() {
		return 0, 0, a.errf(fault.Newf(errors.ErrUnsupported, "the array is not sharded"))
	}
	if len(coord) != len(a.of.Meta.Shape) {
		return 0, 0, a.errf(fault.Newf(fault.Selection, "the array has rank %d, but position %v has rank %d", len(a.of.Meta.Shape), coord, len(coord)))
	}
	for i, c := range coord {
		if n := a.of.Pipe.Axes()[i].Count(a.of.Meta.Shape[i]); c < 0 || c >= n {
			return 0, 0, a.errf(fault.Newf(fault.Selection, "axis %d has %d shards, so position %v is out of range", i, n, coord))
		}
	}
	r, err := a.region(regionAt(a.of.Meta.Shape, a.of.Pipe.Axes(), coord).Select())
	if err != nil {
		return 0, 0, err
	}
	if stored, total, err = a.of.Engine.StoredInner(ctx, r); err != nil {
		return 0, 0, a.errf(err)
	}
	return stored, total, nil
}
