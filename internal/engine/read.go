package engine

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/concurrency"
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

// Check reads and decodes what sel selects of the array, and discards it.
func (a *Array) Check(ctx context.Context, sel grid.Selection) error {
	return a.Read(ctx, pipeline.Memory{Shape: sel.Shape()}, sel)
}

// read decodes the selected elements of one object to their place.
func (r *Call) read(ctx context.Context, o *plan.Object) (err error) {
	missing := 0
	if o.Chunk.Shards != nil {
		missing, err = r.readShard(ctx, o)
	} else {
		err = r.readChunk(ctx, o)
	}
	if errors.Is(err, fault.NotFound) {
		r.fillOne(ctx, o.Key, o.Chunk, o.Box)
		missing, err = o.Touched(), nil
	}
	if err == nil {
		r.account.Chunks(o.Touched(), missing)
	}
	return err
}

// readChunk reads a chunk from the cache, or past it. fault.NotFound: it is absent.
func (r *Call) readChunk(ctx context.Context, o *plan.Object) error {
	if r.caches(o.Chunk) {
		if err := r.readKept(ctx, o); !errors.Is(err, errUncached) {
			return err
		}
	}
	return r.fetch(ctx, nil, o.Wanted())
}

// readShard reads a shard with one request or in parts, as the plan says and the store can. It
// counts the inner chunks that are missing. fault.NotFound: the shard is absent.
func (r *Call) readShard(ctx context.Context, o *plan.Object) (missing int, err error) {
	if r.caches(o.Chunk) && !r.State.noRanges.Load() {
		s := &keptShard{shard: shard{Object: o, call: r}}
		if err = r.readRanges(ctx, o, s); !errors.Is(err, errNoRanges) && !errors.Is(err, errUncached) {
			return int(s.missing.Load()), err
		}
	}
	only := r.State.noRanges.Load()
	if !o.Ranged && !only {
		// One with too much unused space to be read whole is read in parts after all.
		if missing, err = r.readWhole(ctx, o, o.Whole()); !errors.Is(err, errTooLong) {
			return missing, err
		}
	}
	if !only {
		s := &shard{Object: o, call: r}
		if err = r.readRanges(ctx, o, s); !errors.Is(err, errNoRanges) {
			return int(s.missing.Load()), err
		}
	}
	rd := o.Whole()
	rd.Bound = r.sizes.Longest(o.Chunk)
	return r.readWhole(ctx, o, rd)
}

// readWhole reads a shard with one request.
func (r *Call) readWhole(ctx context.Context, o *plan.Object, rd plan.Read) (missing int, err error) {
	s := &shard{Object: o, call: r}
	err = r.fetch(ctx, s, rd)
	return int(s.missing.Load()), err
}

// maxReplaced bounds how often a shard is begun again because it was replaced while it was read.
// Each time means that a writer succeeded, so this many in a row is a store that misreports its
// versions.
const maxReplaced = 100

// readRanges reads a shard in parts, all of one version, and begins again where the shard is
// replaced meanwhile. Errors are those of source.top.
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

// readVersion reads one version of a shard in parts: fault.Conflict where it is replaced meanwhile.
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
	// No request was sent that could find the index stale.
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
