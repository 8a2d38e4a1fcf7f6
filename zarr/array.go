package zarr

import (
	"context"
	"fmt"
	"slices"

	"github.com/zargo-io/zargo/internal/chunk/engine"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/internal/chunk/plan"
	"github.com/zargo-io/zargo/internal/node/hierarchy"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Array is an array with the metadata that was stored when it was opened. It is immutable and safe
// for concurrent use.
type Array struct {
	node
	meta   *meta.Array
	pipe   *pipeline.Pipeline // codecs of one stored object: a chunk or a shard
	blocks []grid.Axis        // boundaries of chunks, or of inner chunks, along each axis
	engine *engine.Array      // reads and writes the objects
	shared *shared
	field  *fieldView                            // nil unless the array is a view of one field
	shards func(coord []int) *engine.ShardWriter // open shards to write to; nil: write to the store
}

// fieldView describes an Array that is a view of one field of base.
type fieldView struct {
	*codec.Field
	base *Array
	path []string
}

// shared is the state that all views of one opened array share.
type shared struct {
	engine  engine.State
	structs structPlans

	copies hierarchy.Copies
}

// blocksOf returns the boundaries along each axis of the chunks, or of the inner chunks of shards.
func blocksOf(p *pipeline.Pipeline) []grid.Axis {
	if s := p.Largest().Chain.Shards(); s != nil {
		return grid.Even(s.Chunk) // an inner chunk shape divides every shard
	}
	return p.Axes()
}

// makeArray returns the array of node n; field is the path of the viewed field, or nil.
func makeArray(n node, m *meta.Array, pipe *pipeline.Pipeline, s *shared, field []string) *Array {
	prefix := join(n.at.Path, "")
	if prefix != "" {
		prefix += "/"
	}
	key := func(coord []int) string {
		var buf [64]byte
		return string(m.Keys.AppendKey(append(buf[:0], prefix...), pipe.Stored(coord)))
	}
	o := n.cfg.engine()
	o.Cache = n.cached(pipe, s, field)
	if n.at.Copied() {
		o.Current = func(ctx context.Context, missing int, err error) error { return s.copies.Read(ctx, n.at, missing, err) }
	}
	return &Array{node: n, meta: m, pipe: pipe, blocks: blocksOf(pipe), shared: s, engine: &engine.Array{
		Store:   n.at.Store,
		Path:    n.at.Path,
		Layout:  plan.Layout{Shape: m.Shape, Axes: pipe.Axes(), Key: key, Pipe: pipe},
		Options: o,
		State:   &s.engine,
	}}
}

// changed returns a copy of the array with other metadata, which must describe the same chunks.
func (a *Array) changed(n node, m *meta.Array) *Array {
	return &Array{node: n, meta: m, pipe: a.pipe, blocks: a.blocks, engine: a.engine, shared: a.shared, field: a.field}
}

// target returns the array that [Write] writes to.
func (a *Array) target() *Array { return a }

// Shape returns the number of elements along each axis. The caller owns the slice.
func (a *Array) Shape() []int { return slices.Clone(a.meta.Shape) }

// Chunks returns the number of elements of a chunk along each axis. In a sharded array these are
// the inner chunks. Chunks returns nil if chunks differ in shape, as in a rectilinear grid; see
// [Array.Edges]. The caller owns the slice.
func (a *Array) Chunks() []int { return grid.Shape(a.blocks) }

// Shards returns the number of elements of a shard along each axis. A shard is one stored object
// that contains many chunks. Shards returns nil if the array is not sharded (see [Array.Sharded])
// or if shards differ in shape. The caller owns the slice.
func (a *Array) Shards() []int {
	if a.Sharded() {
		return grid.Shape(a.pipe.Axes())
	}
	return nil
}

// Regular reports whether all chunks, or all shards of a sharded array, have the same shape. Only a
// rectilinear grid has chunks of different shapes.
func (a *Array) Regular() bool { return a.pipe.Even() }

// CannotEncode returns the reason why the codecs of the array can only decode, or nil. Other
// programs store settings that only an encoder uses, and that zargo does not accept. Writes of
// chunks then fail with this error.
func (a *Array) CannotEncode() error { return a.pipe.Largest().Chain.CannotEncode() }

// Sharded reports whether each stored object is a shard whose inner chunks can be read one by one.
func (a *Array) Sharded() bool { return a.pipe.Largest().Chain.Shards() != nil }

// DType returns the data type of the elements.
func (a *Array) DType() dtype.Type { return a.meta.DType }

// Codecs returns the codecs from chunk to stored bytes, including v2's filters and compressor.
func (a *Array) Codecs() []codec.Spec { return a.pipe.Specs() }

// Fill returns the fill value in memory form (see package dtype), or nil if it is undefined.
func (a *Array) Fill() []byte { return slices.Clone(a.meta.Fill) }

// ChunkLimit returns the maximum size in bytes of a decoded chunk in memory; see [Limits.Chunk].
func (a *Array) ChunkLimit() int64 { return a.cfg.Chunks.ChunkLimit }

// Metadata returns the parsed metadata document. Its key encoding takes the option [Separator]
// into account. The result is shared and must not be changed.
func (a *Array) Metadata() *meta.Array { return a.meta }

// Len returns the number of elements.
func (a *Array) Len() int {
	n := 1
	for _, d := range a.meta.Shape {
		n *= d
	}
	return n
}

// ChunkKey returns the key of the chunk at the grid position coord, or of the shard in a sharded
// array. The key is relative to the store's root.
func (a *Array) ChunkKey(coord ...int) string {
	return a.engine.Layout.Key(coord)
}

// String returns a summary of the array: its path, data type, shape, chunks and format.
func (a *Array) String() string {
	objects := fmt.Sprint(a.pipe.Largest().Shape)
	if !a.Regular() {
		objects = "of up to " + objects
	}
	if a.Sharded() {
		objects = fmt.Sprintf("%v in shards %s", a.Chunks(), objects)
	}
	return fmt.Sprintf("%q %v %v chunks %s v%d", a.Path(), a.meta.DType, a.meta.Shape, objects, a.meta.Format)
}
