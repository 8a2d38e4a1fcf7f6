package copyspec

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/zargo-io/zargo/internal/attributes/masked"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Options are the properties that a copy changes. The zero value keeps those of the source. Package
// transfer documents the fields.
type Options struct {
	Format          int
	NoFillAttribute bool
	Masked          func(path, what string)
	Codecs          []codec.Spec
	Grid            func(a *zarr.Array) (chunks, shards []int, err error)
}

// attrDims is the attribute where xarray stores the dimension names of v2 arrays.
const attrDims = "_ARRAY_DIMENSIONS"

// Of returns the spec of the copy of array a. It is the spec of a, with the given shape and the
// changes of the options.
func (o *Options) Of(a *zarr.Array, shape []int) (zarr.Spec, error) {
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
		if format == 3 && spec.Chunks != nil && a.Sharded() && spec.Shards == nil { // replaces sharding
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
