package zarr

import (
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

	inOrder bool // Codecs are a whole pipeline, as some array has it, whose order is not the one that they would be put in
}

// NoFill is the Spec.Fill of a v2 array whose fill value is undefined (null). Its missing chunks
// read as zero, and every chunk written is stored.
const NoFill = noFill(0)

type noFill uint8

func (noFill) String() string { return "NoFill" }
