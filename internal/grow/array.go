package grow

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/zargo-io/zargo/internal/chunk/engine"
	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/internal/node/document"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Array is one version of an array, as one version of its document describes it. Package zarr
// implements Array.
type Array interface {
	// Source returns the documents of the array.
	Source() *document.Source
	// Engine returns the array as the engine reads and writes it.
	Engine() *engine.Array
	// Grid returns the chunk grid of the array, or of its shards.
	Grid() meta.Grid
	// Position returns the position in the grid of the object at a key relative to the array.
	Position(key string) (coord []int, ok bool)
	// Parse returns the array that doc, another version of its document, describes.
	Parse(doc document.Stored) (Array, error)
	// Stored returns the array with its documents. If the array was opened without its documents,
	// Stored reads them, and returns fault.Conflict if they differ from the metadata of the array.
	Stored(ctx context.Context) (Array, error)
	// Reopen reads the documents again and returns the array that they describe.
	Reopen(ctx context.Context) (Array, error)
	// Guarded returns the array with a guard, which is called before it writes. If storeFill is
	// set, the array stores chunks of fill values instead of deleting them.
	Guarded(guard engine.Guard, storeFill bool) (Array, error)
	// Fill sets all elements of a box to the fill value.
	Fill(ctx context.Context, box claim.Box) error
}

func docOf(a Array) document.Stored { return a.Source().Doc }

// shapeOf returns the shape of an array. The caller owns the slice.
func shapeOf(a Array) []int { return slices.Clone(a.Engine().Layout.Shape) }

func extentOf(a Array, axis int) int { return a.Engine().Layout.Shape[axis] }

// errf wraps err with the path and the store of an array.
func errf(a Array, err error) error {
	n := a.Source().At
	return document.Errorf(n.Store, n.Path, err)
}

// chunkAt returns the chunk or shard that contains index i along an axis: its number, its first
// index and its length.
func chunkAt(a Array, axis, i int) (chunk, start, length int) {
	chunk, length, off := a.Engine().Layout.Axes[axis].Locate(i)
	return chunk, i - off, length
}

// longer returns the array extended by n rows. The new shape is not stored.
func longer(a Array, axis, n int) (Array, error) {
	shape := shapeOf(a)
	shape[axis] += n
	return shaped(a, shape)
}

// rest returns the number of rows from row at to the end of its chunk or shard. It returns
// fault.Selection if a rectilinear grid ends before the row.
func rest(a Array, axis, at int) (int, error) {
	b := a
	shape := shapeOf(a)
	shape[axis] = max(shape[axis], at+1)
	if _, changed := a.Grid().Reaching(shape); changed {
		return 0, fault.Newf(fault.Selection, "the chunks of the rectilinear grid end at row %d, and the length of the next chunk is unknown: append these rows by Append", at)
	}
	if n := extentOf(a, axis); at >= n {
		var err error
		if b, err = longer(a, axis, at-n+1); err != nil {
			return 0, err
		}
	}
	_, start, length := chunkAt(b, axis, at)
	return start + length - at, nil
}

// maxExtent is the largest integer that 64-bit floats represent exactly. Some readers of JSON read
// all numbers as 64-bit floats.
const maxExtent = 1<<53 - 1

// shaped returns the array with another shape, which is not stored. A rectilinear grid is extended
// to the shape. shaped returns fault.Selection if the array cannot have that shape.
func shaped(a Array, shape []int) (Array, error) {
	for _, n := range shape {
		if n < 0 || int64(n) > maxExtent {
			return nil, fault.Newf(fault.Selection, "shape must have lengths from 0 to %d, is %v", int64(maxExtent), shape)
		}
	}
	edits, err := shapeEdits(a, shape)
	if err != nil {
		return nil, err
	}
	doc := docOf(a)
	if doc.Bytes, err = meta.Edit(doc.Key, doc.Bytes, edits); err != nil {
		return nil, err
	}
	b, err := a.Parse(doc)
	if err != nil {
		return nil, fault.Newf(fault.Selection, "the array cannot have the shape %v: %w", shape, err)
	}
	return b, nil
}

// shapeEdits returns the edits that set the shape in the document of a, and extend its grid to the
// shape.
func shapeEdits(a Array, shape []int) (document.Edits, error) {
	raw, err := json.Marshal(shape)
	edits := gridEdits(a, shape)
	edits["shape"] = raw
	return edits, err
}

// gridEdits returns the edits that extend a rectilinear grid to a shape. The claim of a change has
// them, so that all objects that the change may leave behind have the lengths of the stored grid.
func gridEdits(a Array, shape []int) document.Edits {
	g, changed := a.Grid().Reaching(shape)
	if !changed {
		return document.Edits{}
	}
	return document.Edits{"chunk_grid": g.Encode()}
}
