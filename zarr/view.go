package zarr

import (
	"context"
	"slices"

	"github.com/zargo-io/zargo/internal/grow"
)

// With returns a view of the array with additional options.
func (a *Array) With(opts ...Option) (*Array, error) {
	if a.field != nil {
		return a.field.reapply(a.field.base.With(opts...))
	}
	cfg := a.cfg
	if err := cfg.add(opts); err != nil {
		return nil, err
	}
	at, err := a.at.With(cfg.Options)
	if err != nil {
		return nil, err
	}
	return makeArray(nodeOf(at, cfg), at.Keyed, at.Pipe, a.shared, nil), nil
}

// Refresh opens the array again and returns it with its current metadata, which it reads from
// the array's stored document. Refresh returns [ErrNotFound] if the store proves that the document
// is absent, also if the array was opened from consolidated metadata.
func (a *Array) Refresh(ctx context.Context) (*Array, error) {
	if a.field != nil {
		return a.field.reapply(a.field.base.Refresh(ctx))
	}
	at, err := a.at.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	b := newNode(at, a.cfg).(*Array)
	b.reshaped(a)
	return b, nil
}

// reshaped drops cached chunks that are not completely inside the shapes of both a and prev,
// because another process may have deleted and rewritten them. Entries of chunks at the edge need
// no treatment, because the cache binds them to the shape that they were read with.
func (a *Array) reshaped(prev *Array) {
	rank := len(a.meta.Shape)
	if a.engine.Options.Cache == nil || len(prev.meta.Shape) != rank || slices.Equal(a.meta.Shape, prev.meta.Shape) {
		return
	}
	low, far := a.Shape(), a.Shape()
	for i, n := range prev.meta.Shape {
		low[i], far[i] = min(low[i], n), max(far[i], n)
	}
	grow.ForgetOutside(a.engine, low, far, func(key string) ([]int, bool) { return a.meta.Keys.Parse(key, rank) })
}
