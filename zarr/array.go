package zarr

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/engine"
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/pipeline"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Array is an array as its metadata was when it was opened. It is immutable and safe for any number
// of goroutines.
type Array struct {
	node
	meta   *meta.Array
	pipe   *pipeline.Pipeline // the codecs of what is stored as one object: chunks, or shards
	blocks []grid.Axis        // how each axis is cut into chunks: as pipe has it, or into inner chunks
	engine *engine.Array      // what reads and writes them
	shared *shared
	field  *fieldView                            // of a view of one field; else nil
	shards func(coord []int) *engine.ShardWriter // where what is written goes, by position in the grid; nil: to the store
}

// fieldView is what makes an Array a view of one field of another.
type fieldView struct {
	*codec.Field
	base *Array
	path []string
}

// shared is the state that all views of one opened array have in common.
type shared struct {
	engine  engine.State
	structs structPlans

	confirmed atomic.Bool
	confirms  concurrency.Joined[struct{}]
}

// blocksOf is how each axis is cut into what is encoded as one piece: chunks, or the inner chunks
// of shards.
func blocksOf(p *pipeline.Pipeline) []grid.Axis {
	if s := p.Largest().Chain.Shards(); s != nil {
		return grid.Even(s.Chunk) // which divides every shard
	}
	return p.Axes()
}

// makeArray is an array whose codecs are bound. field is the path of the field that it is a view
// of.
func makeArray(n node, m *meta.Array, pipe *pipeline.Pipeline, s *shared, field []string) *Array {
	prefix := join(n.at.Path, "")
	if prefix != "" {
		prefix += "/"
	}
	key := func(coord []int) string {
		var room [64]byte
		return string(m.Keys.AppendKey(append(room[:0], prefix...), pipe.Stored(coord)))
	}
	o := n.cfg.engine()
	o.Cache = n.cached(pipe, s, field)
	return &Array{node: n, meta: m, pipe: pipe, blocks: blocksOf(pipe), shared: s, engine: &engine.Array{
		Store:   n.at.Store,
		Path:    n.at.Path,
		Layout:  plan.Layout{Shape: m.Shape, Axes: pipe.Axes(), Key: key, Pipe: pipe},
		Options: o,
		State:   &s.engine,
	}}
}

// changed is the array with another node and other metadata, which agree on how chunks are stored.
func (a *Array) changed(n node, m *meta.Array) *Array {
	return &Array{node: n, meta: m, pipe: a.pipe, blocks: a.blocks, engine: a.engine, shared: a.shared, field: a.field}
}

// target returns the array that Write writes to.
func (a *Array) target() *Array { return a }

// Shape is the number of elements along each axis. The slice is the caller's.
func (a *Array) Shape() []int { return slices.Clone(a.meta.Shape) }

// Chunks is the number of elements of a chunk along each axis: of what is encoded as one piece,
// which in a sharded array is an inner chunk. nil where chunks differ in shape, as those of a
// rectilinear grid may; see [Array.Edges]. The slice is the caller's.
func (a *Array) Chunks() []int { return grid.Shape(a.blocks) }

// Shards is the number of elements along each axis of a shard, which is one stored object with many
// chunks in it; nil when chunks are stored each by itself, or cannot be read from their shard
// without all of it, and where shards differ in shape: see [Array.Sharded].
func (a *Array) Shards() []int {
	if a.Sharded() {
		return grid.Shape(a.pipe.Axes())
	}
	return nil
}

// Regular reports whether all chunks, or all shards of a sharded array, have one shape. Only a
// rectilinear grid may have others.
func (a *Array) Regular() bool { return a.pipe.Even() }

// Sharded reports whether each stored object is a shard with many chunks in it, which are read one
// by one.
func (a *Array) Sharded() bool { return a.pipe.Largest().Chain.Shards() != nil }

// DType is the data type of the elements.
func (a *Array) DType() dtype.Type { return a.meta.DType }

// Codecs is the pipeline from chunk to stored bytes, v2's filters and compressor included.
func (a *Array) Codecs() []codec.Spec { return a.pipe.Specs() }

// Fill is the fill value in memory form (see package dtype); nil when it is undefined, as v2's
// null.
func (a *Array) Fill() []byte { return slices.Clone(a.meta.Fill) }

// ChunkLimit is the most bytes that a decoded chunk of a may have where it is held in memory; see
// [Limits.Chunk].
func (a *Array) ChunkLimit() int64 { return a.cfg.Chunks.ChunkLimit }

// Metadata is the parsed metadata document, with the keys that Separator gives. It is shared: do
// not change it.
func (a *Array) Metadata() *meta.Array { return a.meta }

// Len is the number of elements.
func (a *Array) Len() int {
	n := 1
	for _, d := range a.meta.Shape {
		n *= d
	}
	return n
}

// ChunkKey is the key, below the store's root, of the chunk, or the shard, at a position of the
// grid that they make.
func (a *Array) ChunkKey(coord ...int) string {
	return a.engine.Layout.Key(coord)
}

// String gives the path and what the array is, for people.
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
