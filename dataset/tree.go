package dataset

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Groups returns the names of the groups directly below the group of the dataset, sorted.
func (d *Dataset) Groups() []string {
	if d == nil {
		return nil
	}
	return slices.Clone(d.groups)
}

// Child opens the group at a path below the group of the dataset, as [Open] does. If a dimension
// has no index coordinate, the dataset inherits the index coordinate of the nearest group above it,
// as in xarray's DataTree. The topmost of these groups is that of d. Child ignores the selections
// of d.
//
// The error is fault.Metadata if an inherited coordinate has another length than the dimension.
func (d *Dataset) Child(ctx context.Context, name string) (*Dataset, error) {
	if err := d.usable(); err != nil {
		return nil, err
	}
	at := d
	for part := range strings.SplitSeq(path.Clean(name), "/") {
		g, err := at.group.OpenGroup(ctx, part)
		if err != nil {
			return nil, err
		}
		next, err := OpenGroup(ctx, g, at.options)
		if err != nil {
			return nil, err
		}
		if err := next.inherit(at); err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

// Refresh opens the group of the dataset again, and those of its parents (see [Dataset.Child]). The
// result has the variables, lengths and labels that are stored now, for example after another
// process appended to the group. If the group has consolidated metadata, it must be current, or d
// must have the option zarr.IgnoreConsolidated. Refresh ignores the selections of d, and does not
// change d. The requests and errors are those of [Open].
func (d *Dataset) Refresh(ctx context.Context) (*Dataset, error) {
	if err := d.usable(); err != nil {
		return nil, err
	}
	g, err := zarr.OpenGroup(ctx, d.group.Store(), d.group.Path(), d.group.Options()...)
	if err != nil {
		return nil, err
	}
	next, err := OpenGroup(ctx, g, d.options)
	if err != nil || d.parent == nil {
		return next, err
	}
	parent, err := d.parent.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	return next, next.inherit(parent)
}

// inherit adds the index coordinates of the parent for those dimensions of d that have no index
// coordinate.
func (d *Dataset) inherit(parent *Dataset) error {
	d.parent = parent
	for _, dim := range d.dims {
		if _, own := d.vars[dim.Name]; own || d.left[dim.Name] != nil {
			continue
		}
		from, s, err := parent.nearest(dim.Name)
		if err != nil {
			d.refused[dim.Name] = err
		}
		if s == nil {
			continue
		}
		if n := from.dims[slices.IndexFunc(from.dims, func(x Dim) bool { return x.Name == dim.Name })].Len; n != dim.Len {
			return &zarr.MetaError{Key: d.group.Path(), Err: fault.Newf(fault.Metadata, "dimension %q has the length %d, and the coordinate %q has %d", dim.Name, dim.Len, s.array.Path(), n)}
		}
		d.vars[dim.Name] = s
		if x, ok := from.index[dim.Name]; ok {
			d.index[dim.Name] = x
		}
		if err := from.refused[dim.Name]; err != nil {
			d.refused[dim.Name] = err
		}
	}
	return nil
}

// nearest returns the index coordinate of a dimension, and the dataset that it belongs to. It
// searches d first, then its parents. The error is that of the coordinate method.
func (d *Dataset) nearest(dim string) (*Dataset, *stored, error) {
	for ; d != nil; d = d.parent {
		if s, err := d.coordinate(dim); s != nil || err != nil {
			return d, s, err
		}
	}
	return nil, nil, nil
}
