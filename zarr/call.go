package zarr

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/zarr/fault"
)

// begin starts a call that reads a region in steps, each with the returned context and array.
func (a *Array) begin(ctx context.Context, r grid.Selection) (context.Context, *Array, error) {
	ctx, e, err := a.of.Engine.Begin(ctx, r)
	if err != nil {
		return ctx, nil, a.errf(err)
	}
	b, of := *a, *a.of
	of.Engine, b.of = e, &of
	return ctx, &b, nil
}

// numbered returns a view of the array whose elements are uint64 numbers of elements in items.
func (a *Array) numbered(items *pipeline.Items) *Array {
	b := *a
	b.of = a.of.Numbered(items)
	return &b
}

// growable returns an error if the shape cannot change along an axis.
func (a *Array) growable(axis int) error {
	if err := a.hasShape(); err != nil {
		return err
	}
	if axis < 0 || axis >= len(a.of.Meta.Shape) {
		return fault.Newf(fault.Selection, "axis %d is out of range for an array of rank %d", axis, len(a.of.Meta.Shape))
	}
	return nil
}

// hasShape returns an error if the shape cannot change because the array is read-only or a field.
func (a *Array) hasShape() error {
	if err := a.at.Writable(); err != nil {
		return err
	}
	if a.field != nil {
		return fault.Newf(errors.ErrUnsupported, "a view of a field cannot change the shape of its array")
	}
	return nil
}
