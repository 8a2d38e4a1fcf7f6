package engine

import (
	"context"
	"errors"
	"iter"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/internal/chunk/plan"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Resolve yields the requests of a plan, object by object. For a read, Resolve itself sends the
// requests for the indexes of shards that are read in parts. It yields these requests too, even if
// the index is in memory. It yields the requests for inner chunks without sending them.
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
		ctx, r, err := a.open(ctx, pipeline.Memory{}, p.Select, nil)
		if err != nil {
			yield(plan.Request{}, err)
			return
		}
		for some := range batches(p.Objects(), r.objects) {
			found := make([]*listed, len(some))
			err := concurrency.EachN(ctx, r.objects, len(some), func(ctx context.Context, i int) (err error) {
				if found[i], err = r.list(ctx, some[i]); err != nil {
					err = r.failed("read", some[i], err)
				}
				return err
			})
			if err != nil {
				yield(plan.Request{}, err)
				return
			}
			for _, f := range found {
				if !f.yield(yield) {
					return
				}
			}
		}
	}
}

// listed is a source that collects the requests of an object instead of sending them.
type listed struct {
	shard
	reads []plan.Reads
	whole *plan.Request // request for the whole object, after reads
}

// list returns the requests that read one object.
func (r *Call) list(ctx context.Context, o *plan.Object) (*listed, error) {
	if o.Err != nil {
		return nil, o.Err
	}
	s := &listed{shard: shard{Object: o, call: r}}
	only := r.State.noRanges.Load()
	if o.Ranged && !only {
		err := r.readRanges(ctx, o, s)
		if !errors.Is(err, plan.ErrNoRanges) {
			if errors.Is(err, fault.NotFound) {
				err = nil
			}
			return s, err
		}
	}
	whole := o.Wanted().Request
	if o.Ranged || o.Chunk.Shards != nil && only {
		whole.Bound, whole.Exact = r.sizes.Longest(o.Chunk), false
	}
	s.whole = &whole
	return s, nil
}

func (s *listed) yield(yield func(plan.Request, error) bool) bool {
	for _, all := range s.reads {
		for rd := range all.All() {
			if !yield(rd.Request, nil) {
				return false
			}
		}
	}
	return s.whole == nil || yield(*s.whole, nil)
}

// top adds the request for the index to the list. It accepts a cached index of any age.
func (s *listed) top(ctx context.Context) (l *plan.Level, found []codec.ShardIndex, current bool, err error) {
	index, err := s.Shard().Indexes(make([]codec.ShardIndex, 1))
	if err != nil {
		return nil, nil, false, err
	}
	s.reads = []plan.Reads{index}
	l, found, _, err = s.shard.top(ctx)
	return l, found, true, err
}

func (s *listed) inner(ctx context.Context, l *plan.Level) (found []codec.ShardIndex, sent bool, err error) {
	reads, err := l.Indexes(make([]codec.ShardIndex, l.Len()))
	if err != nil {
		return nil, false, err
	}
	s.reads = append(s.reads, reads)
	return s.shard.inner(ctx, l)
}

func (s *listed) expand(_ context.Context, l *plan.Level, found []codec.ShardIndex) (plan.Stage, error) {
	return l.Expand(s.index.version, found)
}

func (s *listed) fetch(_ context.Context, _ *plan.Level, reads plan.Reads) error {
	s.reads = append(s.reads, reads)
	return nil
}
