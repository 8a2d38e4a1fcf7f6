package grow

import (
	"encoding/json"
	"slices"

	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/internal/node/array"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// shapeOf returns the shape of an array. The caller owns the slice.
func shapeOf(a *array.Array) []int { return slices.Clone(a.Engine.Layout.Shape) }

func extentOf(a *array.Array, axis int) int { return a.Engine.Layout.Shape[axis] }

// chunkAt returns the chunk or shard that contains index i along an axis: its number, its first
// index and its length.
func chunkAt(a *array.Array, axis, i int) (chunk, start, length int) {
	chunk, length, off := a.Engine.Layout.Axes[axis].Locate(i)
	return chunk, i - off, length
}

// longer returns the array extended by n rows. The new shape is not stored.
func longer(a *array.Array, axis, n int) (*array.Array, error) {
	shape := shapeOf(a)
	shape[axis] += n
	return shaped(a, shape)
}

// rest returns the number of rows from row at to the end of its chunk or shard. It returns
// fault.Selection if a rectilinear grid ends before the row.
func rest(a *array.Array, axis, at int) (int, error) {
	b := a
	shape := shapeOf(a)
	shape[axis] = max(shape[axis], at+1)
	if _, changed := a.Meta.Grid.Reaching(shape); changed {
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
func shaped(a *array.Array, shape []int) (*array.Array, error) {
	for _, n := range shape {
		if n < 0 || int64(n) > maxExtent {
			return nil, fault.Newf(fault.Selection, "shape must have lengths from 0 to %d, is %v", int64(maxExtent), shape)
		}
	}
	edits, err := shapeEdits(a, shape)
	if err != nil {
		return nil, err
	}
	doc := a.At.Doc
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
func shapeEdits(a *array.Array, shape []int) (node.Edits, error) {
	raw, err := json.Marshal(shape)
	edits := gridEdits(a, shape)
	edits["shape"] = raw
	return edits, err
}

// gridEdits returns the edits that extend a rectilinear grid to a shape. The claim of a change has
// them, so that all objects that the change may leave behind have the lengths of the stored grid.
func gridEdits(a *array.Array, shape []int) node.Edits {
	g, changed := a.Meta.Grid.Reaching(shape)
	if !changed {
		return node.Edits{}
	}
	return node.Edits{"chunk_grid": g.Encode()}
}
