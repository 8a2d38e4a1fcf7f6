package arrayspec

import (
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Spec is what is stored of an array, as package zarr documents it.
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

	// InOrder says that Codecs are a whole pipeline, as some array has it, in an order that Model
	// would not choose.
	InOrder bool
}

// NoFill is the Fill of a v2 array whose fill value is undefined.
type NoFill struct{}

// Options say how metadata is made of a Spec.
type Options struct {
	Table     *codec.Table
	Separator string // of chunk keys where metadata leaves it open; "": its default
}
