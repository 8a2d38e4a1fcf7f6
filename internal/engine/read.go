package engine

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/pipeline"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Read sets dst to the elements of the array that sel selects, in C order. dst has the shape of the
// selection. Elements of an absent object are the fill value. After an error the contents of dst
// are undefined.
func (a *Array) Read(ctx context.Context, dst pipeline.Memory, sel grid.Selection) error {
	ctx, r, err := a.begin(ctx, dst, sel, nil)
	if err != nil {
		return err
	}
	return r.each(ctx, "read", r.read)
}

// Check reads and decodes the elements of the array that sel selects, and discards them.
func (a *Array) Check(ctx context.Context, sel grid.Selection) error {
	return a.Read(ctx, pipeline.Memory{Shape: sel.Shape()}, sel)
}

// read reads and decodes the selected elements of one object to r.memory.
func (r *Call) read(ctx context.Context, o *plan.Object) (err error) {
	missing := 0
	if o.Chunk.Shards != nil {
		s := &keptShard{shard: shard{Object: o, call: r}}
		err = r.readShard(ctx, o, s)
		missing = int(s.missing.Load())
	} else {
		err = r.readChunk(ctx, o)
	}
	if errors.Is(err, fault.NotFound) {
		r.fillOne(ctx, o.Key, o.Chunk, o.Box)
		missing, err = o.Touched(), nil
	}
	if r.Options.Current != nil {
		err = r.Options.Current(ctx, missing, err)
	}
	if err == nil {
		r.account.Chunks(o.Touched(), missing)
	}
	return err
}

// readChunk reads a chunk, through the cache if possible. If it is absent: fault.NotFound.
func (r *Call) readChunk(ctx context.Context, o *plan.Object) error {
	if r.caches(o.Chunk) {
		if err := r.readKept(ctx, o); !errors.Is(err, errUncached) {
			return err
		}
	}
	return r.fetch(ctx, nil, o.Wanted())
}

// readShard reads a shard, whole or in parts, as the plan says and the store supports. It reads by
// kept, through the cache, or by kept.shard. It returns fault.NotFound if the shard is absent.
func (r *Call) readShard(ctx context.Context, o *plan.Object, kept *keptShard) error {
	if r.caches(o.Chunk) && !r.State.noRanges.Load() {
		if err := r.readRanges(ctx, o, kept); !errors.Is(err, plan.ErrNoRanges) && !errors.Is(err, errUncached) {
			return err
		}
	}
	s, only := &kept.shard, r.State.noRanges.Load()
	if !o.Ranged && !only {
		// A shard that is too long because of unused space is read in parts instead.
		if err := r.fetch(ctx, s, o.Whole()); !errors.Is(err, plan.ErrTooLong) {
			return err
		}
	}
	if !only {
		if err := r.readRanges(ctx, o, s); !errors.Is(err, plan.ErrNoRanges) {
			return err
		}
	}
	rd := o.Whole()
	rd.Bound = r.sizes.Longest(o.Chunk)
	return r.fetch(ctx, s, rd)
}
