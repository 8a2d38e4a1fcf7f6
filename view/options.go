package view

import (
	"time"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
)

// Options describe how a view differs from its source. The zero value is a view that has the
// arrays, the grids and the codecs of the source.
type Options struct {
	// Format is the Zarr format of the view, 2 or 3. The default, 0, is the format of the source's
	// group, or 2 if that is 1.
	Format int
	// Chunks are the lengths of chunks along the dimensions of these names. A name may follow the
	// name of an array and a slash, as in "t2m/time". Other dimensions and arrays keep the lengths
	// of the source, and so do index coordinates, unless the name of their array is given.
	Chunks map[string]int
	// Shards are the lengths of shards, in the same form. Format 3 is required.
	Shards map[string]int
	// NoShards stores each chunk as its own object.
	NoShards bool
	// Codecs encode the chunks of all arrays. nil keeps the codecs of each array, or is zstd for
	// arrays that Decode changes. An empty list stores chunks without compression.
	Codecs []codec.Spec
	// Decode decodes packed and missing values by the CF conventions, as dataset.Read does. Such
	// arrays have the type float32 or float64, NaN for missing values, and none of the attributes
	// that describe the packing. Times, time differences and truth values stay as they are stored,
	// with their attributes.
	Decode bool
	// Sel selects elements, as dataset.Dataset.Sel does. A query that selects one
	// element keeps its dimension, with the length 1. Pointwise selections are not supported.
	Sel []dataset.Query
	// Vars are the variables of the view, with the coordinates, bounds and grid mappings that they
	// refer to. nil selects all variables.
	Vars []string
	// NoFillAttribute is the option of the same name of transfer.Options.
	NoFillAttribute bool

	// Name identifies the view in errors. The default is "view of" and the name of the source's
	// store.
	Name string
	// Fresh is how long a computed value is returned without a request to the source. With 0, each
	// Get of a computed value sends conditional requests for the objects and the documents that the
	// value was computed from.
	Fresh time.Duration
	// Cache is the maximum number of bytes of the computed values that are kept. The default is 64
	// MiB. Shards that are longer before compression are computed by their inner chunks.
	Cache int64
	// Memory is the size of the memory budget for computing values. The default is a quarter of
	// concurrency.Memory, at most 256 MiB. The budget belongs to the view: with a shared one, an
	// array that reads the view in the same process could wait for its own memory.
	Memory int64
	// Dropped, if not nil, is called with the name of each array of the view that lost or changed
	// an attribute, and a description. The name of the group is "".
	Dropped func(name, what string)
	// Zarr contains options for the arrays of the view, for example zarr.Extensions.
	Zarr []zarr.Option
}
