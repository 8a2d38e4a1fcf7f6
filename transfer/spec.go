package transfer

import (
	"maps"
	"slices"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
)

// attrDims is the attribute in which xarray stores the dimension names of v2 arrays.
const attrDims = "_ARRAY_DIMENSIONS"

// specOf returns the spec of the copy of a: that of a, with the changes that the options require.
func (o *Options) specOf(a *zarr.Array, shape []int) (zarr.Spec, error) {
	spec := a.Spec()
	format := max(a.Format(), 2)
	if o.Format != 0 {
		format = o.Format
	}
	whole := slices.Equal(shape, spec.Shape)
	spec.Shape = shape
	if o.Format != 0 && format != spec.Format {
		toFormat(&spec, a, format)
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
	if chunks == nil && shards == nil {
		if !whole && !a.Regular() {
			return spec, fault.Newf(fault.Selection, "a part of an array whose chunks differ in shape needs other chunks")
		}
		if o.Codecs != nil {
			spec.Codecs, spec.Order = slices.Clone(o.Codecs), "C"
		}
		return spec, nil
	}
	if o.Codecs != nil {
		if spec.Chunks != nil && a.Sharded() && spec.Shards == nil { // sharding is a replaced codec
			spec.Shards, spec.Chunks = spec.Chunks, a.Chunks()
		}
		spec.Codecs, spec.Order = slices.Clone(o.Codecs), "C"
	} else if slices.ContainsFunc(spec.Codecs, func(c codec.Spec) bool { return c.Name == "sharding_indexed" }) {
		return spec, fault.Newf(fault.Selection, "shards with an index of their own need their codecs said too to get another shape")
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
		return spec, fault.Newf(fault.Selection, "an array whose chunks differ in shape needs new chunks for new shards")
	}
	return spec, nil
}

// toFormat converts the format-dependent fields of spec, except the codecs.
func toFormat(spec *zarr.Spec, a *zarr.Array, format int) {
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
		return
	}
	if spec.Shards != nil { // v2 has no shards: the inner chunks become chunks
		spec.Shards = nil
	}
	spec.Dims = nil
	if len(a.Shape()) == 0 {
		dims = []string{} // as xarray writes scalars in v2; in v3 it omits dimension_names
	}
	if dims != nil {
		spec.Attrs = maps.Clone(spec.Attrs)
		if spec.Attrs == nil {
			spec.Attrs = map[string]any{}
		}
		spec.Attrs[attrDims] = dims
	}
}
