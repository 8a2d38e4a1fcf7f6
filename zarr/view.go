package zarr

import (
	"context"

	"github.com/zargo-io/zargo/internal/chunk/grid"
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
	of, err := a.of.With(cfg.Options)
	if err != nil {
		return nil, err
	}
	b := a.viewed(of)
	b.cfg.opts = cfg.opts
	return b, nil
}

// Refresh opens the array again and returns it with its current metadata, which it reads from
// the array's stored document. Refresh returns [ErrNotFound] if the store proves that the document
// is absent, also if the array was opened from consolidated metadata.
func (a *Array) Refresh(ctx context.Context) (*Array, error) {
	if a.field != nil {
		return a.field.reapply(a.field.base.Refresh(ctx))
	}
	of, err := a.of.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	return a.viewed(of), nil
}

// keeping returns the array to use for a write of r; see [array.Array.Keeps].
func (a *Array) keeping(r grid.Selection) (*Array, error) {
	keeps, err := a.of.Keeps(r)
	if err != nil || !keeps {
		return a, err
	}
	return a.With(StoreFill())
}
