package transfer

import (
	"context"

	"github.com/zargo-io/zargo/internal/attributes/derived"
	"github.com/zargo-io/zargo/internal/attributes/masked"
	"github.com/zargo-io/zargo/zarr"
)

// derive changes the attributes of the target that describe the positions or the extent of copied
// parts.
func (m *maker) derive(ctx context.Context) error {
	if !m.parts {
		return nil
	}
	made := map[string]zarr.Node{}
	for i, n := range m.nodes {
		node, err := zarr.Open(ctx, m.new, n.Path, m.o.Zarr...)
		if err != nil {
			return err
		}
		made[n.Path], m.nodes[i].Attrs = node, node.Attrs()
	}
	attrs, dropped := derived.Attributes(m.nodes)
	for path, now := range attrs {
		var err error
		switch n := made[path].(type) {
		case *zarr.Array:
			_, err = n.SetAttrs(ctx, now)
		case *zarr.Group:
			_, err = n.SetAttrs(ctx, now)
		}
		if err != nil {
			return err
		}
	}
	for _, d := range dropped {
		if m.o.Dropped != nil {
			m.o.Dropped(d.Path, d.String())
		}
	}
	return nil
}

// note records the part of array a that is copied to a path.
func (m *maker) note(a *zarr.Array, to string, start, shape []int) {
	n := derived.Node{Path: to, Array: true}
	dims := a.Dims()
	for d, was := range a.Shape() {
		name, first := "", 0
		if d < len(dims) {
			name = dims[d]
		}
		if start != nil {
			first = start[d]
		}
		m.parts = m.parts || shape[d] != was
		n.Axes = append(n.Axes, derived.Range(name, was, first, 1, shape[d]))
	}
	m.nodes = append(m.nodes, n)
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
