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
// has no index coordinate, the dataset inherits that of the groups above it, up to d, as in
// xarray's DataTree. Selections of d do not apply.
//
// The error is fault.Metadata if an inherited coordinate has another length than the dimension.
func (d *Dataset) Child(ctx context.Context, name string) (*Dataset, error) {
	at := d
	for part := range strings.SplitSeq(path.Clean(name), "/") {
		g, err := at.group.OpenGroup(ctx, part)
		if err != nil {
			return nil, err
		}
		next, err := Open(ctx, g, at.options)
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

// inherit adds the index coordinates of the parent for dimensions that have none.
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
		if n := s.array.Shape()[0]; n != dim.Len {
			return &zarr.MetaError{Key: d.group.Path(), Err: fault.Newf(fault.Metadata, "dimension %q has the length %d, and the coordinate %q has %d", dim.Name, dim.Len, s.array.Path(), n)}
		}
		d.vars[dim.Name] = s
		if x, ok := from.index[dim.Name]; ok {
			d.index[dim.Name] = x
		}
	}
	return nil
}

// coordinate returns the index coordinate of a dimension in the nearest group, and its dataset.
func (d *Dataset) coordinate(dim string) (*Dataset, *stored) {
	for ; d != nil; d = d.parent {
		if s, ok := d.vars[dim]; ok && s.indexes(dim) {
			return d, s
		}
	}
	return nil, nil
}
