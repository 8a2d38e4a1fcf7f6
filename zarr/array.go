package zarr

import (
	"fmt"
	"slices"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/internal/node/array"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Array is an array with the metadata that was stored when it was opened. It is immutable and safe
// for concurrent use.
type Array struct {
	opened
	of      *array.Array
	blocks  []grid.Axis // boundaries of chunks, or of inner chunks, along each axis
	structs *structPlans
	field   *fieldView // nil unless the array is a view of one field
}

// fieldView describes an Array that is a view of one field of base.
type fieldView struct {
	*codec.Field
	base *Array
	path []string
}

// blocksOf returns the boundaries along each axis of the chunks, or of the inner chunks of shards.
func blocksOf(p *pipeline.Pipeline) []grid.Axis {
	if s := p.Largest().Chain.Shards(); s != nil {
		return grid.Even(s.Chunk) // an inner chunk shape divides every shard
	}
	return p.Axes()
}

// makeArray returns the array of, which was opened with the options cfg.
func makeArray(of *array.Array, cfg config) *Array {
	cfg.Options = of.Cfg
	return &Array{opened: opened{of.At.Handle(), of.At, cfg}, of: of, blocks: blocksOf(of.Pipe), structs: &structPlans{}}
}

// newNode returns the Array or Group of an opened node.
func newNode(at *node.Node, cfg config) Node {
	if at.Array() == nil {
		return &Group{nodeOf(at, cfg)}
	}
	return makeArray(array.New(at, cfg.Options), cfg)
}

// viewed returns the view of, which has other chunks, elements or options.
func (a *Array) viewed(of *array.Array) *Array {
	b := makeArray(of, a.cfg)
	b.structs = a.structs
	return b
}

// Shape returns the number of elements along each axis. The caller owns the slice.
func (a *Array) Shape() []int { return slices.Clone(a.of.Meta.Shape) }

// Chunks returns the number of elements of a chunk along each axis. In a sharded array these are
// the inner chunks. Chunks returns nil if chunks differ in shape, as in a rectilinear grid; see
// [Array.Edges]. The caller owns the slice.
func (a *Array) Chunks() []int { return grid.Shape(a.blocks) }

// Shards returns the number of elements of a shard along each axis. A shard is one stored object
// that contains many chunks. Shards returns nil if the array is not sharded (see [Array.Sharded])
// or if shards differ in shape. The caller owns the slice.
func (a *Array) Shards() []int {
	if a.Sharded() {
		return grid.Shape(a.of.Pipe.Axes())
	}
	return nil
}

// Regular reports whether all chunks, or all shards of a sharded array, have the same shape. Only a
// rectilinear grid has chunks of different shapes.
func (a *Array) Regular() bool { return a.of.Pipe.Even() }

// CannotEncode returns the reason why the codecs of the array can only decode, or nil. Other
// programs store settings that only an encoder uses, and that zargo does not accept. Writes of
// chunks then fail with this error.
func (a *Array) CannotEncode() error { return a.of.Pipe.Largest().Chain.CannotEncode() }

// Sharded reports whether each stored object is a shard whose inner chunks can be read one by one.
func (a *Array) Sharded() bool { return a.of.Pipe.Largest().Chain.Shards() != nil }

// DType returns the data type of the elements.
func (a *Array) DType() dtype.Type { return a.of.Meta.DType }

// Codecs returns the codecs from chunk to stored bytes, including v2's filters and compressor.
func (a *Array) Codecs() []codec.Spec { return a.of.Pipe.Specs() }

// Fill returns the fill value in memory form (see package dtype), or nil if it is undefined.
func (a *Array) Fill() []byte { return slices.Clone(a.of.Meta.Fill) }

// ChunkLimit returns the maximum size in bytes of a decoded chunk in memory; see [Limits.Chunk].
func (a *Array) ChunkLimit() int64 { return a.cfg.Chunks.ChunkLimit }

// Metadata returns the parsed metadata document. Its key encoding takes the option [Separator]
// into account. The result is shared and must not be changed.
func (a *Array) Metadata() *meta.Array { return a.of.Meta }

// Len returns the number of elements.
func (a *Array) Len() int {
	n := 1
	for _, d := range a.of.Meta.Shape {
		n *= d
	}
	return n
}

// ChunkKey returns the key of the chunk at the grid position coord, or of the shard in a sharded
// array. The key is relative to the store's root.
func (a *Array) ChunkKey(coord ...int) string {
	return a.of.Engine.Layout.Key(coord)
}

// String returns a summary of the array: its path, data type, shape, chunks and format.
func (a *Array) String() string {
	objects := fmt.Sprint(a.of.Pipe.Largest().Shape)
	if !a.Regular() {
		objects = "of up to " + objects
	}
	if a.Sharded() {
		objects = fmt.Sprintf("%v in shards %s", a.Chunks(), objects)
	}
	return fmt.Sprintf("%q %v %v chunks %s v%d", a.Path(), a.of.Meta.DType, a.of.Meta.Shape, objects, a.of.Meta.Format)
}
