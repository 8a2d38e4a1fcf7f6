package zarr

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/internal/claim"
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/internal/engine"
	"github.com/zargo-io/zargo/internal/grow"
	"github.com/zargo-io/zargo/zarr/fault"
)

// growing is an array as package grow takes it.
type growing struct{ *Array }

// viewed is the array of package zarr that package grow returned.
func viewed(a grow.Array) *Array { return a.(growing).Array }

// Engine returns what reads and writes the objects of the array.
func (g growing) Engine() *engine.Array { return g.engine }

// Position parses a key below the path of the array.
func (g growing) Position(key string) ([]int, bool) {
	return g.meta.Keys.Parse(key, len(g.meta.Shape))
}

// Parse returns the array as another text of its document describes it.
func (g growing) Parse(doc document.Stored) (grow.Array, error) {
	docs := document.Docs{{Name: doc.Key[strings.LastIndexByte(doc.Key, '/')+1:], Bytes: doc.Bytes, Version: doc.Version}}
	if d := g.attrsDoc; d.Key != doc.Key && d.There() {
		docs = append(docs, document.Doc{Name: document.ZAttrs, Bytes: d.Bytes, Version: d.Version})
	}
	n := node{st: g.st, path: g.path, cfg: g.cfg.stored()}
	found, err := n.parse(docs.Set())
	if err != nil {
		return nil, err
	}
	b := found.(*Array)
	if b.format == 2 {
		b.attrsDoc = g.attrsDoc // also where there is none, or it was refused
	}
	return growing{b}, nil
}

// Stored returns the array with its documents, which are read if the array was opened without.
func (g growing) Stored(ctx context.Context) (grow.Array, error) {
	if g.from == fromStore {
		return g, nil
	}
	n := g.node
	if err := n.reload(ctx, g.shared.copied); err != nil {
		return nil, err
	}
	return growing{g.changed(n, g.meta)}, nil
}

// Reopen is [Array.Refresh].
func (g growing) Reopen(ctx context.Context) (grow.Array, error) {
	a, err := g.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	return growing{a}, nil
}

// Guarded returns the array for writes under a guard. It is not stored yet.
func (g growing) Guarded(guard engine.Guard, storeFill bool) (grow.Array, error) {
	a := g.Array
	if storeFill && !a.cfg.storeFill {
		var err error
		if a, err = a.With(StoreFill()); err != nil {
			return nil, err
		}
	}
	a.shared.confirmed.Store(true)
	a.cfg.guard = guard // also of views of it
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
		fill = make([]byte, g.meta.DType.Size())
	}
	return g.WriteBytes(ctx, slices.Repeat(fill, n), sel...)
}

// growable refuses an array whose shape cannot change along an axis.
func (a *Array) growable(axis int) error {
	if err := a.hasShape(); err != nil {
		return err
	}
	if axis < 0 || axis >= len(a.meta.Shape) {
		return fault.Newf(fault.Selection, "axis %d of an array with %d axes", axis, len(a.meta.Shape))
	}
	return nil
}

// hasShape refuses an array that has no shape of its own to change.
func (a *Array) hasShape() error {
	if err := a.writable(); err != nil {
		return err
	}
	if a.field != nil {
		return fault.Newf(errors.ErrUnsupported, "the shape of a view of a field is that of its array")
	}
	return nil
}
