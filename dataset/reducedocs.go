package dataset

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/internal/attributes/derived"
	"github.com/zargo-io/zargo/internal/copying/copyspec"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// documents returns the documents of the result, and the attributes that the reduction made untrue.
func (x *reducing) documents(ctx context.Context, path string) (docs map[string]string, dropped []derived.Dropped, err error) {
	st, attrs := mem.New(), x.d.Attrs()
	delete(attrs, "coordinates")
	have := map[string]bool{}
	for _, v := range x.vars {
		have[v.Name] = true
	}
	for _, v := range x.vars {
		refer(v.Attrs, have)
	}
	_, err = Create(ctx, st, path, Spec{Format: x.o.Format, Attrs: attrs, Vars: x.vars}, Options{Raw: true, Indexes: []string{}}, x.o.Zarr...)
	if err != nil {
		return nil, nil, err
	}
	nodes := []derived.Node{{Path: path}}
	for _, v := range x.vars {
		n := derived.Node{Path: strings.TrimPrefix(path+"/"+v.Name, "/"), Array: true, Values: x.d.vars[v.Name] != nil && x.changes(v.Name)}
		if s := x.d.vars[v.Name]; s != nil {
			n.Axes = x.axes(&Variable{x.d, v.Name, s})
		}
		nodes = append(nodes, n)
	}
	opts := append(slices.Clone(x.o.Zarr), zarr.IgnoreConsolidated())
	if dropped, err = copyspec.Derive(ctx, st, nodes, opts...); err != nil {
		return nil, nil, err
	}
	docs, err = copyspec.Documents(ctx, st, path, opts...)
	return docs, dropped, err
}

// axes describes the elements that the result has of a variable.
func (x *reducing) axes(v *Variable) (axes []derived.Axis) {
	for _, d := range v.Dims() {
		g := x.by[d.Name]
		switch {
		case x.over[d.Name]:
			axes = append(axes, derived.At(d.Name))
		case g != nil && g.length > 0 && !g.roll:
			axes = append(axes, derived.Windows(d.Name, g.length, g.N))
		case g != nil && g.period != 0:
			axes = append(axes, derived.List(g.name(), g.N))
		default:
			if _, chosen := x.d.chosen[d.Name]; chosen {
				axes = append(axes, derived.List(d.Name, d.Len))
			} else {
				axes = append(axes, derived.Range(d.Name, d.Len, 0, 1, d.Len))
			}
		}
	}
	return axes
}

// refer removes the names of variables that the result does not have from attributes that name
// variables.
func refer(attrs map[string]any, have map[string]bool) {
	for _, name := range []string{"coordinates", "grid_mapping", "ancillary_variables", "bounds", "climatology"} {
		text, ok := attrs[name].(string)
		if !ok || strings.Contains(text, ":") {
			continue
		}
		names := slices.DeleteFunc(strings.Fields(text), func(n string) bool { return !have[n] })
		if attrs[name] = strings.Join(names, " "); len(names) == 0 {
			delete(attrs, name)
		}
	}
}

// boundaries returns the names of the variables that contain the bounds of coordinates.
func (d *Dataset) boundaries() map[string]bool {
	names := map[string]bool{}
	for name := range maps.Keys(d.vars) {
		for _, b := range cf.BoundsOf(d.vars[name].array.Attrs()) {
			names[b] = true
		}
	}
	return names
}
