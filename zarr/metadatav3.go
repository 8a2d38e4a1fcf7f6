package zarr

import (
	"errors"
	"maps"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// MetadataV3 returns v3 metadata for the chunks of a v1 or v2 array, as they are stored and where
// they are: what package upkeep writes to migrate it. The names of dimensions in _ARRAY_DIMENSIONS
// become dimension_names, and an undefined fill value becomes what missing chunks read as.
// errors.ErrUnsupported where v3 cannot describe them.
func (a *Array) MetadataV3() (*meta.Array, error) {
	typ, order, one := dtype.Uniform(a.meta.DType)
	if !one {
		return nil, fault.Newf(errors.ErrUnsupported, "the fields of %v are stored in both byte orders, which v3 does not have", typ)
	}
	m := &meta.Array{
		Format: 3, Shape: a.meta.Shape, Grid: a.meta.Grid, DType: typ, Fill: a.meta.Fill,
		Keys: a.meta.Keys, Dims: xarrayDims(a.attrs, len(a.meta.Shape)), Attrs: a.attrs,
	}
	if m.Fill == nil {
		m.Fill = a.pipe.Fill() // what missing chunks read as
	}
	if m.Dims != nil {
		m.Attrs = maps.Clone(a.attrs)
		delete(m.Attrs, attrDims)
	}
	in := a.pipe.Largest().Chain.In()
	in.Fill, in.Type = m.Fill, typ
	var specs []codec.Spec
	for _, s := range a.pipe.Specs() {
		core, err := s.Core(in)
		if err != nil {
			return nil, err
		}
		if core.Name == "bytes" && order != dtype.NoOrder { // of a structure, whose fields said it
			core = codec.Bytes(order)
		}
		specs = append(specs, core)
	}
	specs, err := a.cfg.table.FiltersFirst(specs, in)
	if err != nil {
		return nil, err
	}
	if specs, err = a.cfg.table.Normalize(specs, in); err != nil {
		return nil, err
	}
	for _, s := range specs {
		m.Codecs = append(m.Codecs, meta.Named{Name: s.Name, Config: s.Config})
	}
	return m, nil
}
