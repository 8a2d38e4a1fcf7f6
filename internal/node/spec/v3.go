package spec

import (
	"errors"
	"maps"

	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// V3 returns v3 metadata for the chunks of a v1 or v2 array. The keys and the stored bytes of the
// chunks stay the same. pipe has the codecs of the array. V3 returns errors.ErrUnsupported if the
// fields of a structure have different byte orders.
func V3(of *meta.Array, pipe *pipeline.Pipeline, table *codec.Table) (*meta.Array, error) {
	typ, order, one := dtype.Uniform(of.DType)
	if !one {
		return nil, fault.Newf(errors.ErrUnsupported, "the fields of %v have both byte orders, but a v3 array has only one", typ)
	}
	m := &meta.Array{
		Format: 3, Shape: of.Shape, Grid: of.Grid, DType: typ, Fill: of.Fill,
		Keys: of.Keys, Dims: Dims(of.Attrs, len(of.Shape)), Attrs: of.Attrs,
	}
	if m.Fill == nil {
		m.Fill = pipe.Fill() // the value of missing chunks
	}
	if m.Dims != nil {
		m.Attrs = maps.Clone(of.Attrs)
		delete(m.Attrs, attrDims)
	}
	in := pipe.Largest().Chain.In()
	in.Fill, in.Type = m.Fill, typ
	var specs []codec.Spec
	for _, s := range pipe.Specs() {
		core, err := s.Core(in)
		if err != nil {
			return nil, err
		}
		if core.Name == "bytes" && order != dtype.NoOrder { // v2 structures have the order in their fields
			core = codec.Bytes(order)
		}
		specs = append(specs, core)
	}
	specs, err := table.FiltersFirst(specs, in)
	if err != nil {
		return nil, err
	}
	if specs, err = table.Normalize(specs, in); err != nil {
		return nil, err
	}
	for _, s := range specs {
		m.Codecs = append(m.Codecs, meta.Named{Name: s.Name, Config: s.Config})
	}
	return m, nil
}
