package transfer

import (
	"context"
	"sync"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
)

// arrays opens the arrays of a plan by its documents, each once.
type arrays struct {
	stores map[In]store.Store
	opts   []zarr.Option

	mu      sync.Mutex
	open    map[Array]*zarr.Array
	sources map[string]*sparse // by path
}

// newArrays is the arrays of a plan in their stores. tmp has temporary data at its root.
func newArrays(p *Plan, src, dst, tmp store.Store, opts []zarr.Option) *arrays {
	return &arrays{
		stores: map[In]store.Store{
			Source:    &overlay{src, p.Documents.Source},
			Target:    &overlay{dst, p.Documents.Target},
			Temporary: &overlay{tmp, p.Documents.Temporary},
		},
		// Of an object that a task owns there is one writer.
		opts: append([]zarr.Option{zarr.SingleWriter(), zarr.IgnoreConsolidated()}, opts...),
		open: map[Array]*zarr.Array{}, sources: map[string]*sparse{},
	}
}

// source is the store of an array of the source.
func (s *arrays) source(path string) *sparse {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sources[path] == nil {
		s.sources[path] = newSparse(s.stores[Source].(*overlay), path)
	}
	return s.sources[path]
}

// array is an array of the plan.
func (s *arrays) array(ctx context.Context, at *Array) (*zarr.Array, error) {
	s.mu.Lock()
	a := s.open[*at]
	s.mu.Unlock()
	if a != nil {
		return a, nil
	}
	opts := s.opts
	if at.Separator != "" {
		opts = append(opts[:len(opts):len(opts)], zarr.Separator(at.Separator))
	}
	st := s.stores[at.In]
	if at.In == Source {
		st = s.source(at.Path)
	}
	a, err := zarr.OpenArray(ctx, st, at.Path, opts...)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[*at] = a
	return a, nil
}

// both are the arrays of a step.
func (s *arrays) both(ctx context.Context, step *Step) (from, to *zarr.Array, err error) {
	if from, err = s.array(ctx, step.From); err == nil {
		to, err = s.array(ctx, step.To)
	}
	return from, to, err
}
