package spec

import (
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Spec has the stored properties of an array. Package zarr documents the fields.
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

	// InOrder means that Codecs are all codecs of an existing array, which Model does not reorder.
	InOrder bool
}

// NoFill is the Fill of a v2 array whose fill value is undefined.
type NoFill struct{}

// Options configure how metadata is made from a Spec.
type Options struct {
	Table     *codec.Table
	Separator string // separator of chunk keys if the metadata omits it; "" means the default
}
