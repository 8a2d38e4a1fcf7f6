package zarr

import (
	"github.com/zargo-io/zargo/internal/node/spec"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Spec describes the stored metadata of an array. Only Shape and DType are required. For a group
// only Format and Attrs are used.
type Spec struct {
	Format int   // 2 or 3; the default, 0, is 3
	Shape  []int // elements along each axis; empty for a scalar
	Chunks []int // elements of a chunk along each axis; if nil, Layout chooses them
	Layout Layout
	DType  dtype.Type

	// Shards is the shape of a shard, an object of many chunks that can be read one by one. The
	// lengths must be multiples of those of Chunks. If Layout chooses the chunks, it chooses
	// divisors of Shards. With nil, each chunk is stored as an object. Only v3 has shards. The
	// index of a shard is at its end and has a checksum. For another index, add codec.Sharding to
	// Codecs and set Chunks to the shape of a shard.
	Shards []int

	// ShardLayout chooses Shards if they are nil. If ShardLayout is nil too, the array is not
	// sharded.
	ShardLayout *Layout

	// ChunkEdges replaces Chunks by the lengths of consecutive chunks along each axis: {{1, 2, 3},
	// {5}} divides six rows into chunks of one, two and three rows. The lengths of an axis must
	// reach its end and may exceed it. A single length applies to every chunk along its axis. If
	// each axis has a single length, the grid is regular. Otherwise it is rectilinear, an extension
	// of v3 that few other implementations read.
	ChunkEdges [][]int

	// ShardEdges replaces Shards as ChunkEdges replaces Chunks. The lengths must be multiples of
	// those of Chunks; all inner chunks have the same shape.
	ShardEdges [][]int

	// Grid is the grid of stored objects as in the metadata, which can contain runs of equal
	// chunks. It replaces Chunks, ChunkEdges, Shards and ShardEdges. If the objects are shards,
	// Codecs must include codec.Sharding.
	Grid meta.Grid

	// Fill is the fill value, which is the value of elements that were never written. It is a Go
	// value of the data type, a number that the data type represents exactly, a json.RawMessage as
	// in the metadata, or [NoFill] for v2's null. With nil, the data type's default is used.
	Fill any

	// Codecs encode a chunk. With nil, chunks are compressed by zstd; with an empty slice, they are
	// not compressed. The codec from array to bytes may be omitted, and defaults to bytes in
	// little-endian order. Codecs from array to array are placed before it and codecs from bytes to
	// bytes after it, each kind in the given order.
	//
	// For v2, codec.Bytes sets the byte order. The last other codec becomes the compressor, and the
	// codecs before it become the filters. Create returns errors.ErrUnsupported for a v3 codec that
	// numcodecs does not have. In v3 a numcodecs filter must operate on the array's own data type,
	// not on a view as another type.
	Codecs []codec.Spec

	// Order is the order of elements within a chunk, "C" or "F". The default is "C".
	Order string

	// Separator separates the numbers in chunk keys: "/" or ".". The default is "/" in v3 and "."
	// in v2.
	Separator string

	// Dims are the names of the axes, "" for an axis without a name. If Dims is nil, axes do not
	// have names. Only v3 stores them.
	Dims []string

	// Attrs are the attributes, as JSON values.
	Attrs map[string]any

	// Keys is the encoding of chunk keys, for v3 encodings that Separator alone cannot express: the
	// v2 encoding, and suffixes.
	Keys meta.KeyEncoding

	inOrder bool // Codecs are the complete chain of an existing array; see spec.Spec
}

// NoFill is the Spec.Fill of a v2 array with an undefined fill value (null). Missing chunks of the
// array read as the default of the data type (see [dtype.Type]), and every written chunk is stored.
const NoFill = noFill(0)

type noFill uint8

func (noFill) String() string { return "NoFill" }

// Layout chooses the shape of chunks if [Spec.Chunks] is nil, by the rule of TensorStore: chunks
// are as large as the maximum allows, their sides are in proportion to AspectRatio, and no side
// exceeds the array. The zero Layout chooses chunks of equal sides with up to 2^20 elements, such
// as 101 × 101 × 101 for an array of 1000 × 2000 × 3000. Along an axis of length 0, which will
// grow, a chunk has the rows that the other axes leave, at most 1024.
//
// As [Spec.ShardLayout] it chooses the shape of shards by the same rule, as whole numbers of
// chunks. A shard has at least one chunk, and extends beyond the array no further than its last
// chunk.
type Layout struct {
	AspectRatio []float64 // one ratio for each axis, where 0 means 1; nil means 1 for all axes
	Elements    int       // maximum elements of a chunk or shard; 0 is 2^20 unless Bytes is set
	Bytes       int       // maximum bytes of a chunk or shard in memory; must be 0 if Elements is set
}

// arrays converts the Spec to the type of package spec.
func (s Spec) arrays() spec.Spec {
	if s.Fill == NoFill {
		s.Fill = spec.NoFill{}
	}
	return spec.Spec{
		Format: s.Format, Shape: s.Shape, Chunks: s.Chunks, Layout: spec.Layout(s.Layout), DType: s.DType,
		Shards: s.Shards, ShardLayout: (*spec.Layout)(s.ShardLayout), ChunkEdges: s.ChunkEdges, ShardEdges: s.ShardEdges,
		Grid: s.Grid, Fill: s.Fill, Codecs: s.Codecs, Order: s.Order, Separator: s.Separator, Dims: s.Dims, Attrs: s.Attrs,
		Keys: s.Keys, InOrder: s.inOrder,
	}
}

// Spec returns a Spec that creates an array with the same metadata. The created array has the same
// chunks under the same keys, with the same bytes. Change the Spec to create a similar array. If
// the metadata omits a member that has a default, the new metadata contains the default. The caller
// owns the slices and the map.
//
// Fill is a Go value if the data type has one, so that it can be stored in another format, and
// [NoFill] if the fill value is undefined. The chunks of a rectilinear grid are in ChunkEdges or
// ShardEdges, or in Grid if these cannot express them.
//
// The Spec of a v1 array describes the array in v2, because this package does not write v1. The
// Spec of a view of a field describes an array of the field alone. It has the codecs of the
// structured array if these fit the field, and the default codecs otherwise.
//
// The Spec omits metadata members that this package does not know. If the array was opened with
// [Extensions], pass the same tables to [Create].
func (a *Array) Spec() Spec {
	s := a.spec()
	if (s.Fill == spec.NoFill{}) {
		s.Fill = NoFill
	}
	return Spec{
		Format: s.Format, Shape: s.Shape, Chunks: s.Chunks, Layout: Layout(s.Layout), DType: s.DType,
		Shards: s.Shards, ShardLayout: (*Layout)(s.ShardLayout), ChunkEdges: s.ChunkEdges, ShardEdges: s.ShardEdges,
		Grid: s.Grid, Fill: s.Fill, Codecs: s.Codecs, Order: s.Order, Separator: s.Separator, Dims: s.Dims, Attrs: s.Attrs,
		Keys: s.Keys, inOrder: s.InOrder,
	}
}

func (a *Array) spec() spec.Spec {
	if a.field == nil {
		return spec.Of(a.of.Meta, a.cfg.Specs())
	}
	base := a.field.base
	return spec.OfField(base.spec(), base.of.Meta, a.of.Meta, a.field.Shape(), base.cfg.Specs())
}

// MetadataV3 returns v3 metadata that describes the stored chunks of a v1 or v2 array as they are.
// Package upkeep writes it to migrate the array. The dimension names in _ARRAY_DIMENSIONS become
// dimension_names, and an undefined fill value becomes the value of missing chunks. MetadataV3
// returns errors.ErrUnsupported if v3 metadata cannot describe the chunks.
func (a *Array) MetadataV3() (*meta.Array, error) {
	m := *a.of.Meta
	m.Attrs = a.at.Attrs()
	return spec.V3(&m, a.of.Pipe, a.cfg.Table)
}
