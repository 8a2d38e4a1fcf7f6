package zarr

import (
	"context"
	"errors"
	"github.com/zargo-io/zargo/internal/arrayspec"
	"slices"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/fault"
)

// With returns a view of the same array with other options.
func (a *Array) With(opts ...Option) (*Array, error) {
	if a.field != nil {
		return a.field.again(a.field.base.With(opts...))
	}
	n := a.node
	if err := n.cfg.add(opts); err != nil {
		return nil, err
	}
	m, err := arrayspec.Separated(a.meta, n.cfg.separator)
	if err != nil {
		return nil, a.errf(err)
	}
	other, err := bindArray(n, m, a.shared)
	if err != nil {
		return nil, a.errf(err)
	}
	return other, nil
}

// Refresh opens the array again and returns it as it is now in the store or, where only
// consolidated metadata has it, as that has it now.
func (a *Array) Refresh(ctx context.Context) (*Array, error) {
	if a.field != nil {
		return a.field.again(a.field.base.Refresh(ctx))
	}
	n, err := openStored(ctx, a.st, a.path, a.cfg.stored(), document.Array)
	if a.from == fromCopy && errors.Is(err, fault.NotFound) {
		var top Node
		if top, err = openStored(ctx, a.st, a.holder(), a.cfg.stored(), document.Group); err == nil {
			n, err = top.(*Group).open(ctx, below(top.Path(), a.path), document.Array)
		}
	}
	if err != nil {
		return nil, err
	}
	b := n.(*Array)
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
	a.engine.ForgetOutside(low, far, func(key string) ([]int, bool) { return a.meta.Keys.Parse(key, rank) })
}
