package transfer

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/zargo-io/zargo/internal/attributes/masked"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
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

// attrDims is the attribute where xarray stores the dimension names of v2 arrays.
const attrDims = "_ARRAY_DIMENSIONS"

// specOf returns the spec of the copy of array a. It is the spec of a, with the given shape and the
// changes of the options.
func (o *Options) specOf(a *zarr.Array, shape []int) (zarr.Spec, error) {
	spec := a.Spec()
	format := max(a.Format(), 2)
	if o.Format != 0 {
		format = o.Format
	}
	whole := slices.Equal(shape, spec.Shape)
	spec.Shape = shape
	if o.Format != 0 && format != spec.Format {
		if err := toFormat(&spec, a, format); err != nil {
			return spec, err
		}
		o.masked(&spec, a, format)
		if o.Codecs == nil && format == 3 {
			m, err := a.MetadataV3()
			if err != nil {
				return spec, err
			}
			spec.Codecs = []codec.Spec{}
			for _, c := range m.Codecs {
				spec.Codecs = append(spec.Codecs, codec.Spec{Name: c.Name, Config: c.Config})
			}
		}
	}
	var chunks, shards []int
	if o.Grid != nil {
		var err error
		if chunks, shards, err = o.Grid(a); err != nil {
			return spec, err
		}
	}
	if o.Codecs == nil && format == 2 && spec.Codecs != nil {
		if hasSharding(spec.Codecs) { // v2 has no shards: the innermost chunks become chunks
			if err := flatten(&spec, false); err != nil {
				return spec, err
			}
		}
		spec.Codecs = untransposed(spec.Codecs)
	}
	if chunks == nil && shards == nil {
		if !whole && !a.Regular() {
			return spec, fault.Newf(fault.Selection, "copying a part of an array with irregular chunks needs new chunk shapes")
		}
		if o.Codecs != nil {
			spec.Codecs, spec.Order = slices.Clone(o.Codecs), "C"
		}
		return spec, nil
	}
	if o.Codecs != nil {
		if spec.Chunks != nil && a.Sharded() && spec.Shards == nil { // replaces sharding
			spec.Shards, spec.Chunks = spec.Chunks, a.Chunks()
		}
		spec.Codecs, spec.Order = slices.Clone(o.Codecs), "C"
	} else if outer := spec.Shards != nil || spec.ShardEdges != nil; hasSharding(spec.Codecs) && (chunks != nil || !outer) {
		// Shards in shards, shards of a transposed array, or an index of another form.
		if err := flatten(&spec, true); err != nil {
			return spec, err
		}
	}
	if chunks != nil {
		spec.Chunks, spec.ChunkEdges = chunks, nil
	}
	if shards != nil {
		spec.Shards, spec.ShardEdges = shards, nil
		if len(shards) == 0 && len(shape) > 0 {
			spec.Shards = nil
		}
	}
	spec.Grid.Edges = nil
	if spec.Chunks == nil && spec.ChunkEdges == nil {
		return spec, fault.Newf(fault.Selection, "changing the shards of an array with irregular chunks also needs new chunks")
	}
	return spec, nil
}

// toFormat converts the format-dependent fields of spec, except the codecs.
func toFormat(spec *zarr.Spec, a *zarr.Array, format int) error {
	if _, raw := spec.Fill.(json.RawMessage); raw { // each format writes it in another form
		fill, err := a.DType().FormatFill(a.Fill(), format)
		if err != nil {
			return err
		}
		spec.Fill = fill
	}
	spec.Format, spec.Separator = format, ""
	spec.Keys.Name, spec.Keys.Separator, spec.Keys.Suffix = "", "", ""
	dims := a.Dims()
	if format == 3 {
		spec.Dims, spec.Order = dims, ""
		if spec.Fill == zarr.NoFill {
			spec.Fill = nil
		}
		if (dims != nil || len(a.Shape()) == 0) && spec.Attrs[attrDims] != nil {
			spec.Attrs = maps.Clone(spec.Attrs)
			delete(spec.Attrs, attrDims)
		}
		return nil
	}
	if spec.Shards != nil { // v2 has no shards: the inner chunks become chunks
		spec.Shards = nil
	}
	spec.Dims = nil
	if len(a.Shape()) == 0 {
		dims = []string{} // xarray writes this for scalars in v2; in v3 it omits dimension_names
	}
	if dims != nil {
		spec.Attrs = maps.Clone(spec.Attrs)
		if spec.Attrs == nil {
			spec.Attrs = map[string]any{}
		}
		spec.Attrs[attrDims] = dims
	}
	return nil
}

// masked changes the fill value or the attributes of spec so that xarray sees the same missing
// values in the copy as in a. xarray determines missing values differently in v2 and v3. masked
// reports the change to o.Masked.
func (o *Options) masked(spec *zarr.Spec, a *zarr.Array, format int) {
	if o.NoFillAttribute || a.Dims() == nil && len(a.Shape()) > 0 {
		return
	}
	said := ""
	if format == 3 {
		spec.Attrs, said = masked.ToV3(a.DType(), a.Fill(), spec.Attrs)
	} else {
		v := masked.ToV2(a.DType(), a.Fill(), spec.Attrs)
		switch spec.Attrs, said = v.Attrs, v.Said; {
		case v.Undefined:
			spec.Fill = zarr.NoFill
		case v.Fill != nil:
			spec.Fill = v.Fill
		}
	}
	if said != "" && o.Masked != nil {
		o.Masked(a.Path(), said)
	}
}
