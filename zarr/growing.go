package zarr

import (
	"context"
	"errors"
	"slices"

	"github.com/zargo-io/zargo/internal/chunk/engine"
	"github.com/zargo-io/zargo/internal/grow"
	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/internal/node/document"
	"github.com/zargo-io/zargo/internal/node/hierarchy"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// growing adapts an Array to the interface of package grow.
type growing struct{ *Array }

// viewed returns the Array inside a, which must be of type growing.
func viewed(a grow.Array) *Array { return a.(growing).Array }

// Engine returns the engine that reads and writes the array's chunks or shards.
func (g growing) Engine() *engine.Array { return g.engine }

// Grid returns the stored grid, of shards if there are any.
func (g growing) Grid() meta.Grid { return g.meta.Grid }

// Position parses a chunk key, relative to the array, and returns the chunk's grid position.
func (g growing) Position(key string) ([]int, bool) {
	return g.meta.Keys.Parse(key, len(g.meta.Shape))
}

// Source returns the documents of the array.
func (g growing) Source() *document.Source { return g.at.Source() }

// Parse returns the array that doc describes. doc is another version of its metadata document.
func (g growing) Parse(doc document.Stored) (grow.Array, error) {
	at, err := g.at.Reparsed(doc)
	if err != nil {
		return nil, err
	}
	a, ok := newNode(at, g.cfg).(*Array)
	if !ok {
		return nil, fault.Newf(fault.Conflict, "the array was replaced by a group concurrently")
	}
	return growing{a}, nil
}

// Stored returns the array with its stored documents, which it reads unless the array has them.
func (g growing) Stored(ctx context.Context) (grow.Array, error) {
	if g.at.From == hierarchy.FromStore {
		return g, nil
	}
	at, err := g.at.Reload(ctx)
	if err != nil {
		return nil, err
	}
	return growing{g.changed(nodeOf(at, g.cfg), g.meta)}, nil
}

// Reopen implements grow.Array by [Array.Refresh].
func (g growing) Reopen(ctx context.Context) (grow.Array, error) {
	a, err := g.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	return growing{a}, nil
}

// Guarded returns the array with a guard for its writes, and with the option StoreFill if storeFill
// is set. Writes do not confirm the metadata, because it may not be stored yet.
func (g growing) Guarded(guard engine.Guard, storeFill bool) (grow.Array, error) {
	a := g.Array
	if storeFill && !a.cfg.Chunks.StoreFill {
		var err error
		if a, err = a.With(StoreFill()); err != nil {
			return nil, err
		}
	}
	a.shared.copies.Confirmed.Store(true)
	a.cfg.guard = guard // inherited by views
	a.engine.Options.Guard = guard
	return growing{a}, nil
}

// Fill sets all elements of a box to the fill value.
func (g growing) Fill(ctx context.Context, box claim.Box) error {
	sel, n := make([]Selection, len(box.Lo)), 1
	for i, lo := range box.Lo {
		sel[i] = Range(lo, box.Hi[i])
		n *= box.Hi[i] - lo
	}
	if g.meta.DType.Size() == 0 {
		return g.WriteItems(ctx, slices.Repeat([][]byte{g.meta.Fill}, n), sel...)
	}
	fill := g.meta.Fill
	if fill == nil {
		fill = g.meta.DType.DefaultFill()
	}
	return g.WriteBytes(ctx, slices.Repeat(fill, n), sel...)
}

// growable returns an error if the shape cannot change along an axis.
func (a *Array) growable(axis int) error {
	if err := a.hasShape(); err != nil {
		return err
	}
	if axis < 0 || axis >= len(a.meta.Shape) {
		return fault.Newf(fault.Selection, "axis %d is out of range for an array of rank %d", axis, len(a.meta.Shape))
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
