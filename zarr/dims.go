package zarr

import (
	"fmt"
	"slices"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/node/spec"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Dim applies s to the axis named name (see [Array.Dims]) instead of the next axis in order.
// Functions that receive the selection return ErrSelection if no axis or more than one axis has the
// name, or if the axis is selected twice.
func Dim(name string, s Selection) Selection { return dim{name, s} }

type dim struct {
	name string
	sel  Selection
}

func (d dim) resolve(ax axis) (grid.Slice, error) {
	if d.sel == nil {
		return grid.Slice{}, fault.Newf(fault.Selection, "the selection of dimension %q is nil", d.name)
	}
	if _, again := d.sel.(dim); again {
		return grid.Slice{}, fault.Newf(fault.Selection, "the selection of dimension %q must not be a Dim", d.name)
	}
	return d.sel.resolve(ax)
}

func (d dim) String() string { return fmt.Sprintf("%s=%v", d.name, d.sel) }

// axisOf returns the index of the axis with a name.
func (a *Array) axisOf(name string) (int, error) {
	dims := a.dims()
	i := slices.Index(dims, name)
	switch {
	case name == "" || i < 0:
		return 0, fault.Newf(fault.Selection, "no dimension of %q is named %q", dims, name)
	case slices.Contains(dims[i+1:], name):
		return 0, fault.Newf(fault.Selection, "dimension name %q is ambiguous: more than one axis has it", name)
	}
	return i, nil
}

// Dims returns the names of the axes, with "" for an axis without a name. It returns nil if the
// array lacks names. The names are v3's dimension_names, those of [Array.WithDimNames], or the
// attribute _ARRAY_DIMENSIONS, which xarray writes to v2 arrays. The caller owns the slice.
func (a *Array) Dims() []string { return slices.Clone(a.dims()) }

func (a *Array) dims() []string {
	switch {
	case a.of.Meta.Dims != nil:
		return a.of.Meta.Dims
	case len(a.cfg.dims) == len(a.of.Meta.Shape):
		return a.cfg.dims
	}
	return spec.Dims(a.at.Attrs(), len(a.of.Meta.Shape))
}

// WithDimNames returns a view of the array with dimension names. They are not stored, and apply
// only if the metadata lacks names. The number of names must be the rank (ErrSelection otherwise).
func (a *Array) WithDimNames(names ...string) (*Array, error) {
	if len(names) != len(a.of.Meta.Shape) {
		return nil, a.errf(fault.Newf(fault.Selection, "the array has rank %d, but %d dimension names were passed", len(a.of.Meta.Shape), len(names)))
	}
	b := *a
	b.cfg.dims = slices.Clone(names)
	return &b, nil
}
