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
func (d *Dataset) Groups() []string { return slices.Clone(d.groups) }

// Child opens the group at a path below the group of the dataset, as [Open] does. If a dimension
// has no index coordinate, the dataset inherits the index coordinate of the nearest group above it,
// as in xarray's DataTree. The topmost of these groups is that of d. Child ignores the selections
// of d.
//
// The error is fault.Metadata if an inherited coordinate has another length than the dimension.
func (d *Dataset) Child(ctx context.Context, name string) (*Dataset, error) {
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

// inherit adds the index coordinates of the parent for those dimensions of d that have no index
// coordinate.
func (d *Dataset) inherit(parent *Dataset) error {
	d.parent = parent
	for _, dim := range d.dims {
		if _, own := d.vars[dim.Name]; own {
			continue
		}
		from, s := parent.coordinate(dim.Name)
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
	}
	return nil
}

// coordinate returns the index coordinate of a dimension, and the dataset that it belongs to. It
// searches d first, then its parents.
func (d *Dataset) coordinate(dim string) (*Dataset, *stored) {
	for ; d != nil; d = d.parent {
		if s, ok := d.vars[dim]; ok && s.indexes(dim) {
			return d, s
		}
	}
	return nil, nil
}
