package transfer

import (
	"github.com/zargo-io/zargo/internal/copying/copyspec"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
)

// Options configures a plan. The zero value copies all nodes without changes.
type Options struct {
	Source Place // name of the source for the [Opener]; NewPlan sets Path to that of the node
	Target Place // location of the copy
	// Root is the path of the outermost group to create above the target. The groups between Root
	// and the target are created too. Existing groups remain unchanged. "" is the root of the
	// store.
	Root string

	// Format is the Zarr format of the target, 2 or 3. The default, 0, is the format of the source,
	// or 2 if the source is v1.
	Format int
	// NoFillAttribute keeps the fill values and attributes of arrays when Format changes. xarray
	// then sees other missing values in the copy, because it treats elements equal to the fill
	// value as missing in v2, and elements equal to the attribute _FillValue in v3. By default,
	// NewPlan preserves missing values: it changes the fill value or the attribute of each array
	// with dimension names.
	NoFillAttribute bool
	// Masked, if not nil, is called with the path of each array whose fill value or attribute
	// _FillValue was changed to preserve missing values, and a description of the change.
	Masked func(path, what string)
	// Codecs encode the chunks of all arrays. nil keeps the codecs of each array; an empty list
	// stores chunks without compression. See [zarr.Spec].
	Codecs []codec.Spec
	// Grid returns the shapes of the chunks and shards of the copy of an array. A nil shape means
	// the shape of the source. Empty, non-nil shards store each chunk as its own object.
	Grid func(a *zarr.Array) (chunks, shards []int, err error)
	// Ranges returns the part of an array to copy: [first, end) along each dimension. nil copies
	// the whole array.
	Ranges func(a *zarr.Array) ([][2]int, error)
	// Dropped, if not nil, is called with the path of each node of the target that lost an
	// attribute, and a description. Attributes that describe positions, extents or statistics are
	// changed if Ranges selects a part of an array, and dropped if they cannot be kept true.
	Dropped func(path, what string)
	// Consolidate writes consolidated metadata to the target even if the source has none.
	Consolidate bool
	// Memory is the maximum number of bytes that each process running the plan uses. The default is
	// half of concurrency.Memory, at most 1 GiB.
	Memory int64
	// OneStage plans without intermediate arrays, even if they would save requests. A source chunk
	// is then read once for each task that needs it.
	OneStage bool
	// WholeShards plans tasks that store each shard with one put, as [SaveZip] requires. By default
	// a shard that does not fit in Memory is stored in parts.
	WholeShards bool
	// Zarr contains options for opening and creating nodes, for example zarr.Extensions.
	Zarr []zarr.Option
}

// specOf returns the spec of the copy of array a, with the given shape.
func (o *Options) specOf(a *zarr.Array, shape []int) (zarr.Spec, error) {
	c := copyspec.Options{Format: o.Format, NoFillAttribute: o.NoFillAttribute, Masked: o.Masked, Codecs: o.Codecs, Grid: o.Grid}
	return c.Of(a, shape)
}
