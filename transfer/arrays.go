package transfer

import (
	"context"
	"sync"

	"github.com/zargo-io/zargo/internal/copying/listed"
	"github.com/zargo-io/zargo/internal/copying/overlay"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
)

// arrays opens the arrays of a plan and caches them. It opens each array with the metadata
// documents in the plan.
type arrays struct {
	stores map[Side]store.Store
	opts   []zarr.Option

	mu     sync.Mutex
	open   map[Array]*zarr.Array
	listed map[Array]*listed.Store
}

// newArrays returns the arrays of p in the stores src, dst and tmp. Temporary arrays are at the
// root of tmp.
func newArrays(p *Plan, src, dst, tmp store.Store, opts []zarr.Option) *arrays {
	return &arrays{
		stores: map[Side]store.Store{
			Source:    overlay.New(src, p.Documents.Source),
			Target:    overlay.New(dst, p.Documents.Target),
			Temporary: overlay.New(tmp, p.Documents.Temporary),
		},
		// No two tasks write the same object.
		opts: append([]zarr.Option{zarr.SingleWriter(), zarr.IgnoreConsolidated()}, opts...),
		open: map[Array]*zarr.Array{}, listed: map[Array]*listed.Store{},
	}
}

// store returns the store of an array of the plan.
func (s *arrays) store(at *Array) *listed.Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listed[*at] == nil {
		s.listed[*at] = listed.New(s.stores[at.In], at.Path)
	}
	return s.listed[*at]
}

// array opens an array of the plan.
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
	st := s.store(at)
	a, err := zarr.OpenArray(ctx, st, at.Path, opts...)
	if err != nil {
		return nil, err
	}
	st.Describe(a.Metadata().Keys, a.GridShape())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[*at] = a
	return a, nil
}

// both opens the array that a step reads (from) and the array that it writes (to).
func (s *arrays) both(ctx context.Context, step *Step) (from, to *zarr.Array, err error) {
	if from, err = s.array(ctx, step.From); err == nil {
		to, err = s.array(ctx, step.To)
	}
	return from, to, err
}
