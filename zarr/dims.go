package zarr

import (
	"fmt"
	"slices"

	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/zarr/fault"
)

// attrDims is the attribute in which xarray keeps the names of a v2 array's axes.
const attrDims = "_ARRAY_DIMENSIONS"

// Dim selects along the axis of a name (see [Array.Dims]) instead of the axis whose turn it is. ErrSelection when no axis
// or more than one has the name, or when the axis is selected twice.
func Dim(name string, s Selection) Selection { return dim{name, s} }

type dim struct {
	name string
	sel  Selection
}

func (d dim) resolve(ax axis) (grid.Slice, error) {
	if d.sel == nil {
		return grid.Slice{}, fault.Newf(fault.Selection, "dimension %q without a selection", d.name)
	}
	if _, again := d.sel.(dim); again {
		return grid.Slice{}, fault.Newf(fault.Selection, "a dimension within dimension %q", d.name)
	}
	return d.sel.resolve(ax)
}

func (d dim) String() string { return fmt.Sprintf("%s=%v", d.name, d.sel) }

// axisOf finds an axis by its name.
func (a *Array) axisOf(name string) (int, error) {
	dims := a.dims()
	i := slices.Index(dims, name)
	switch {
	case name == "" || i < 0:
		return 0, fault.Newf(fault.Selection, "no axis is called %q; the names are %q", name, dims)
	case slices.Contains(dims[i+1:], name):
		return 0, fault.Newf(fault.Selection, "more than one axis is called %q", name)
	}
	return i, nil
}

// Dims are the names of the axes, "" for one without; nil when the array has none. They are v3's dimension_names or the
// attribute _ARRAY_DIMENSIONS, which xarray gives v2 arrays, or those of [Labels].
func (a *Array) Dims() []string { return slices.Clone(a.dims()) }

func (a *Array) dims() []string {
	switch {
	case a.meta.Dims != nil:
		return a.meta.Dims
	case len(a.cfg.labels) == len(a.meta.Shape):
		return a.cfg.labels
	}
	return xarrayDims(a.attrs, len(a.meta.Shape))
}

// xarrayDims reads _ARRAY_DIMENSIONS; nil when it does not name every axis.
func xarrayDims(attrs Attrs, rank int) []string {
	list, ok := attrs[attrDims].([]any)
	if !ok || len(list) != rank {
		return nil
	}
	dims := make([]string, rank)
	for i, v := range list {
		if dims[i], ok = v.(string); !ok {
			return nil
		}
	}
	return dims
}

// Labels names the axes of arrays whose metadata does not: of those that have as many axes as there are names.
func Labels(names ...string) Option {
	names = slices.Clone(names)
	return Option{fmt.Sprintf("Labels(%q)", names), func(c *config) error {
		if len(names) == 0 {
			return fault.Newf(fault.Selection, "no names")
		}
		c.labels = names
		return nil
	}}
}
