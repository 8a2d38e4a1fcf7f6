package zarr

import (
	"github.com/zargo-io/zargo/internal/arrayspec"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Spec is what is stored of an array, of which only Shape and DType must be set. Of a group it is
// Format and Attrs.
type Spec struct {
	Format int   // 2 or 3; 0 is 3
	Shape  []int // elements along each axis; empty for a scalar
	Chunks []int // elements of a chunk along each axis; nil is chosen by Layout
	Layout Layout
	DType  dtype.Type

	// Shards are the elements of a shard along each axis: one object that holds many chunks, each
	// to be read by itself. The lengths are multiples of those of Chunks; where Layout chooses
	// these, it chooses divisors. nil stores each chunk as an object. Only v3 has shards. They get
	// an index with a checksum at their end; for another one, give codec.Sharding among the Codecs
	// and the shape of a shard as Chunks.
	Shards []int

	// ShardLayout chooses Shards where they are not given; nil chooses none.
	ShardLayout *Layout

	// ChunkEdges are the lengths of the chunks along each axis, one after another, in place of
	// Chunks: {{1, 2, 3}, {5}} cuts six rows into chunks of one, two and three. They reach the end
	// of the axis and may go beyond it; a single one is the length of every chunk along its axis.
	// Where they differ the grid is a rectilinear one, an extension of v3 that few other
	// implementations read; where each axis has a single one it is a regular one.
	ChunkEdges [][]int

	// ShardEdges are for shards what ChunkEdges are for chunks, in place of Shards: multiples of
	// the lengths of Chunks, which have one shape.
	ShardEdges [][]int

	// Grid is how the array is cut into what is stored as one object, as metadata has it, in place
	// of Chunks, ChunkEdges, Shards and ShardEdges: for chunks counted in runs. Shards then need
	// codec.Sharding among the Codecs.
	Grid meta.Grid

	// Fill is the value of elements that were never written: a Go value of the data type or a
	// number it can hold exactly, a json.RawMessage as metadata spells it, [NoFill] for v2's null;
	// nil is the data type's default.
	Fill any

	// Codecs encode a chunk. nil is zstd; empty is none. A codec from array to bytes need not be
	// named: bytes in little-endian order is put in. Codecs from array to array go before it and
	// those from bytes to bytes after it, each kind in the order given. For v2, codec.Bytes gives
	// the byte order, and the last other codec becomes the compressor, those before it the filters:
	// codecs of v3 that numcodecs does not have are errors.ErrUnsupported. In v3 a filter of
	// numcodecs takes the elements that there are, not ones that it views them as.
	Codecs []codec.Spec

	Order     string         // "C" or "F", the order of elements within a chunk; "" is "C"
	Separator string         // "/" or "." between the numbers of a chunk's key; "" is "/" in v3 and "." in v2
	Dims      []string       // names of the axes, "" for one without a name; nil is none. Only v3 stores them
	Attrs     map[string]any // JSON values

	// Keys is how the keys of chunks are spelled where Separator does not say it all: v3 has v2's
	// spelling too, and suffixes.
	Keys meta.KeyEncoding

	inOrder bool // Codecs are a whole pipeline, as some array has it; see arrayspec.Spec
}

// NoFill is the Spec.Fill of a v2 array whose fill value is undefined (null). Its missing chunks
// read as zero, and every chunk written is stored.
const NoFill = noFill(0)

type noFill uint8

func (noFill) String() string { return "NoFill" }

// Layout says how the shape of chunks is chosen where [Spec.Chunks] does not give it: as
// TensorStore does, as large as the bound allows, with sides in proportion to AspectRatio, no
// longer than the array. The zero value is chunks of equal sides with up to 2^20 elements: 101 ×
// 101 × 101 for an array of 1000 × 2000 × 3000. In [Spec.ShardLayout] it says the same of shards,
// whose sides are whole numbers of chunks: they are as many as the bound allows, at least one, in
// shards of sides in proportion, and reach no further beyond the array than the last chunk does.
type Layout struct {
	AspectRatio []float64 // one for each axis, 0 is 1; nil is all 1
	Elements    int       // most elements of a chunk or shard; 0 is 2^20, or what Bytes says
	Bytes       int       // most bytes of it in memory, in place of Elements
}

// arrays returns the Spec as package arrayspec has it.
func (s Spec) arrays() arrayspec.Spec {
	if s.Fill == NoFill {
		s.Fill = arrayspec.NoFill{}
	}
	return arrayspec.Spec{
		Format: s.Format, Shape: s.Shape, Chunks: s.Chunks, Layout: arrayspec.Layout(s.Layout), DType: s.DType,
		Shards: s.Shards, ShardLayout: (*arrayspec.Layout)(s.ShardLayout), ChunkEdges: s.ChunkEdges, ShardEdges: s.ShardEdges,
		Grid: s.Grid, Fill: s.Fill, Codecs: s.Codecs, Order: s.Order, Separator: s.Separator, Dims: s.Dims, Attrs: s.Attrs,
		Keys: s.Keys, InOrder: s.inOrder,
	}
}

// Spec returns what creates the same array again, elsewhere or, once some of it was changed,
// another one like it: everything that is stored of the array but its chunks. Created from it, an
// array has the same chunks under the same keys, each the same bytes; where the array's metadata
// leaves out what has a default, that of the new one says it. Slices and the map are the caller's.
//
// Fill is a Go value where the data type has one, so that it can be stored in another format, and
// [NoFill] where it is undefined. Chunks in a rectilinear grid are given as ChunkEdges or
// ShardEdges, or as Grid where these do not say the same.
//
// That of a v1 array, which is not written, is of the same array in v2. That of a view of a field
// is of an array of the field alone, with the codecs that the structures have where they fit it,
// else those of an empty Spec. Members of the metadata that this package does not know are no part
// of it. [Create] is to be given the codecs and the data types of one's own that the array was
// opened with, see [Extensions].
func (a *Array) Spec() Spec {
	s := a.spec()
	if (s.Fill == arrayspec.NoFill{}) {
		s.Fill = NoFill
	}
	return Spec{
		Format: s.Format, Shape: s.Shape, Chunks: s.Chunks, Layout: Layout(s.Layout), DType: s.DType,
		Shards: s.Shards, ShardLayout: (*Layout)(s.ShardLayout), ChunkEdges: s.ChunkEdges, ShardEdges: s.ShardEdges,
		Grid: s.Grid, Fill: s.Fill, Codecs: s.Codecs, Order: s.Order, Separator: s.Separator, Dims: s.Dims, Attrs: s.Attrs,
		Keys: s.Keys, inOrder: s.InOrder,
	}
}

func (a *Array) spec() arrayspec.Spec {
	if a.field == nil {
		return arrayspec.Of(a.meta, a.cfg.Specs())
	}
	base := a.field.base
	return arrayspec.OfField(base.spec(), base.meta, a.meta, a.field.Shape(), base.cfg.Specs())
}

// MetadataV3 returns v3 metadata for the chunks of a v1 or v2 array, as they are stored and where
// they are: what package upkeep writes to migrate it. The names of dimensions in _ARRAY_DIMENSIONS
// become dimension_names, and an undefined fill value becomes what missing chunks read as.
// errors.ErrUnsupported where v3 cannot describe them.
func (a *Array) MetadataV3() (*meta.Array, error) {
	m := *a.meta
	m.Attrs = a.at.Attrs
	return arrayspec.V3(&m, a.pipe, a.cfg.Table)
}
