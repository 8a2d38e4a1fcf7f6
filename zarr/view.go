package zarr

import (
	"context"
	"slices"

	"github.com/zargo-io/zargo/internal/grow"
)

// With returns a view of the same array with other options.
func (a *Array) With(opts ...Option) (*Array, error) {
	if a.field != nil {
		return a.field.again(a.field.base.With(opts...))
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

// Refresh opens the array again and returns it as it is now in the store or, where only
// consolidated metadata has it, as that has it now.
func (a *Array) Refresh(ctx context.Context) (*Array, error) {
	if a.field != nil {
		return a.field.again(a.field.base.Refresh(ctx))
	}
	at, err := a.at.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	b := made(at, a.cfg).(*Array)
	b.reshaped(a)
	return b, nil
}

// reshaped has the cache forget what an array of another shape had read beyond this one, or what is
// there of a time when the array was longer: others may have deleted and written it since. What the
// array ended within is bound to where it ended.
func (a *Array) reshaped(old *Array) {
	rank := len(a.meta.Shape)
	if a.engine.Options.Cache == nil || len(old.meta.Shape) != rank || slices.Equal(a.meta.Shape, old.meta.Shape) {
		return
	}
	low, far := a.Shape(), a.Shape()
	for i, n := range old.meta.Shape {
		low[i], far[i] = min(low[i], n), max(far[i], n)
	}
	grow.ForgetOutside(a.engine, low, far, func(key string) ([]int, bool) { return a.meta.Keys.Parse(key, rank) })
}
