package main

import (
	"context"
	"iter"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// maxBand is the default maximum size in bytes of a band of a selection: a part that is in memory.
// A band of 128 chunks of 1 MiB uses all 128 concurrent requests of a bucket.
const maxBand = 128 << 20

// band is a part of a selection and its size in bytes.
type band struct {
	region
	bytes int
}

// axes returns the axes of a region of an array. of is walk.Chunks or walk.Objects.
func (r region) axes(a *zarr.Array, of func(walk.Array, int) walk.Axis) []walk.Axis {
	axes := make([]walk.Axis, len(r))
	for k, x := range r {
		axes[k] = of(a, k)
		axes[k].Count, axes[k].Position, axes[k].List = x.count, x.at, x.list != nil
	}
	return axes
}

// in returns the part of a region in a box of the walk.
func (r region) in(b walk.Box) region {
	for k, n := range b.Shape {
		if n != r[k].count {
			r = r.part(k, b.At[k], b.At[k]+n)
		}
	}
	return r
}

// bandsToWrite divides a selection of an array into bands that end at the boundaries of stored
// objects. The bands are consecutive in C order. each is the size of an element in memory.
func bandsToWrite(ctx context.Context, a *zarr.Array, r region, each int) (iter.Seq[band], error) {
	memory := concurrency.Memory() / 2
	boxes, err := cut(ctx, r, r.axes(a, walk.Objects), each, min(maxBand, memory), memory)
	if err != nil {
		return nil, err
	}
	return func(yield func(band) bool) {
		for b := range boxes {
			if !yield(band{r.in(b), int(b.Bytes(int64(each)))}) {
				return
			}
		}
	}, nil
}

// cut divides a region into bands of about target bytes, or of one row of chunks if a row is
// larger. It returns fault.Limit if a row of chunks exceeds limit.
func cut(ctx context.Context, r region, axes []walk.Axis, each int, target, limit int64) (iter.Seq[walk.Box], error) {
	total, err := r.bytes(each)
	if err != nil {
		return nil, err
	}
	bands := walk.Bands{Axes: axes, Each: int64(each), Target: walk.Always(target), Limit: walk.Always(limit)}
	k := bands.Whole().Row()
	if k < len(r) && total > target && !axes[k].List { // a band of a list may end within a chunk
		rows, err := axes[k].Longest(ctx)
		if err != nil {
			return nil, err
		}
		if row := total / int64(r[k].count); int64(rows) > limit/row {
			need := int64(rows) * row
			return nil, fault.Newf(fault.Limit, "a row of chunks of the selection, of shape %v, takes %d bytes of memory, more than %d, half of the memory limit: select less, or set GOMEMLIMIT to at least %d",
				r.part(k, 0, rows).shape(), need, limit, capped(capped(need, need), outsideHeap))
		}
	}
	return bands.Of(bands.Whole()), nil
}
