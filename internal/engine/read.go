package engine

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/pipeline"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Read sets dst to what sel selects of the array, in C order. dst has the shape of the selection.
// An object that is proven absent is the fill value. After an error dst is undefined.
func (a *Array) Read(ctx context.Context, dst pipeline.Memory, sel grid.Selection) error {
	ctx, r, err := a.begin(ctx, dst, sel, nil)
	if err != nil {
		return err
	}
	return r.each(ctx, "read", r.read)
}

// Check reads and decodes what sel selects of the array, and forgets it.
func (a *Array) Check(ctx context.Context, sel grid.Selection) error {
	return a.Read(ctx, pipeline.Memory{Shape: sel.Shape()}, sel)
}

// read takes what is selected of one object to its place.
func (r *runner) read(ctx context.Context, o *plan.Object) error {
	if r.caches(o.Chunk) {
		return r.readCached(ctx, o)
	}
	return r.readStored(ctx, o)
}

// readStored is read without a cache.
func (r *runner) readStored(ctx context.Context, o *plan.Object) error {
	if o.Chunk.Shards != nil {
		return r.readShard(ctx, o)
	}
	err := r.fetch(ctx, nil, o.Wanted())
	switch {
	case err == nil:
		r.account.Chunks(1, 0)
	case errors.Is(err, fault.NotFound):
		r.fillOne(ctx, o.Key, o.Chunk, o.Box)
		r.account.Chunks(1, 1)
		return nil
	}
	return err
}
