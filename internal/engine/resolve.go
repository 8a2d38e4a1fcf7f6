package engine

import (
	"context"
	"errors"
	"iter"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/pipeline"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Resolve yields the requests of a plan, object by object. Of a plan to read it reads the indexes
// of shards that are read in parts, and nothing else: their inner chunks are yielded and not
// requested. Those of an index are yielded although it is known from earlier.
func (a *Array) Resolve(ctx context.Context, p *plan.Plan) iter.Seq2[plan.Request, error] {
	return func(yield func(plan.Request, error) bool) {
		if p.Write != nil {
			for r := range p.Requests() {
				if !yield(r, nil) {
					return
				}
			}
			return
		}
		ctx, r, err := a.runner(ctx, pipeline.Memory{}, p.Select, nil)
		if err != nil {
			yield(plan.Request{}, err)
			return
		}
		for some := range batches(p.Objects(), r.objects) {
			found := make([]resolved, len(some))
			err := concurrency.EachN(ctx, r.objects, len(some), func(ctx context.Context, i int) (err error) {
				if found[i], err = r.resolve(ctx, some[i]); err != nil {
					err = r.failed("read", some[i], err)
				}
				return err
			})
			if err != nil {
				yield(plan.Request{}, err)
				return
			}
			for _, f := range found {
				for rd := range f.requests {
					if !yield(rd, nil) {
						return
					}
				}
			}
		}
	}
}

// batches cuts a sequence into slices of at most n.
func batches[T any](all iter.Seq[T], n int) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		var some []T
		for v := range all {
			if some = append(some, v); len(some) == n {
				if !yield(some) {
					return
				}
				some = nil
			}
		}
		if len(some) > 0 {
			yield(some)
		}
	}
}

// resolved is what is requested to read one object.
type resolved struct {
	reads []plan.Reads
	whole []plan.Request // none, or one
}

func (f resolved) requests(yield func(plan.Request) bool) {
	for _, all := range f.reads {
		for rd := range all.All() {
			if !yield(rd.Request) {
				return
			}
		}
	}
	for _, r := range f.whole {
		if !yield(r) {
			return
		}
	}
}

// resolve finds out what is requested to read one object.
func (r *runner) resolve(ctx context.Context, o *plan.Object) (f resolved, err error) {
	if o.Err != nil {
		return f, o.Err
	}
	whole := o.Wanted().Request
	if o.InParts || o.Chunk.Shards != nil && r.State.whole.Load() {
		whole.Bound, whole.Exact = r.Options.longest(o.Chunk), false
	}
	for try := 1; o.InParts && !r.State.whole.Load(); try++ {
		switch f, err = r.resolveParts(ctx, o); {
		case errors.Is(err, errWhole):
			f.whole = []plan.Request{whole}
			return f, nil
		case errors.Is(err, fault.NotFound):
			return f, nil
		case !errors.Is(err, fault.Conflict) || try == maxReplaced:
			return f, err
		}
		r.State.indexes.drop(o.Shard().ID(0), nil)
	}
	return resolved{whole: []plan.Request{whole}}, nil
}

// resolveParts reads the indexes of a shard. The index is in what it gives with an error, too.
func (r *runner) resolveParts(ctx context.Context, o *plan.Object) (f resolved, err error) {
	top := o.Shard()
	reads, err := top.Indexes(make([]codec.ShardIndex, 1))
	if err != nil {
		return f, err
	}
	f.reads = append(f.reads, reads)
	x, _, err := r.index(ctx, top)
	if err == nil {
		err = r.resolveLevel(ctx, &f, top, x.version, []codec.ShardIndex{x.ShardIndex})
	}
	return f, err
}

func (r *runner) resolveLevel(ctx context.Context, f *resolved, l *plan.Level, v store.Version, found []codec.ShardIndex) error {
	stage, err := l.Expand(v, found)
	if err != nil {
		return err
	}
	for next := range stage.Next(r.planned) {
		reads, err := next.Indexes(make([]codec.ShardIndex, next.Len()))
		if err != nil {
			return err
		}
		f.reads = append(f.reads, reads)
		found, _, err := r.innerIndexes(ctx, next, v)
		if err != nil {
			return err
		}
		if err := r.resolveLevel(ctx, f, next, v, found); err != nil {
			return err
		}
	}
	f.reads = append(f.reads, stage.Reads)
	return nil
}
