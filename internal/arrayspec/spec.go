package arrayspec

import (
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Spec is the stored properties of an array. Package zarr documents the fields.
type Spec struct {
	Format      int
	Shape       []int
	Chunks      []int
	Layout      Layout
	DType       dtype.Type
	Shards      []int
	ShardLayout *Layout
	ChunkEdges  [][]int
	ShardEdges  [][]int
	Grid        meta.Grid
	Fill        any // NoFill for the undefined fill value of v2
	Codecs      []codec.Spec
	Order       string
	Separator   string
	Dims        []string
	Attrs       map[string]any
	Keys        meta.KeyEncoding

	// InOrder makes Model keep the order of Codecs, which are the whole pipeline of an existing
	// array.
	InOrder bool
}

// NoFill is the Fill of a v2 array whose fill value is undefined.
type NoFill struct{}

// Options are the options of making metadata from a Spec.
type Options struct {
	Table     *codec.Table
	Separator string // of chunk keys, if the metadata omits it; "": the default
}
