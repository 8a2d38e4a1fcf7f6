package dataset

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Over returns the dataset with a group and arrays that read through st, with additional options.
// st must have the values of the store of d under the same keys, such as a decorator of that store.
// Over uses the documents and the labels of d, so it sends no request except for arrays of Zarr
// format 1.
//
// The error is fault.Selection if d is a selection of its elements.
func (d *Dataset) Over(ctx context.Context, st store.Store, opts ...zarr.Option) (*Dataset, error) {
	if err := d.usable(); err != nil {
		return nil, err
	}
	if len(d.chosen)+len(d.complete) > 0 && !reflect.DeepEqual(d.chosen, d.complete) {
		return nil, fault.Newf(fault.Selection, "dataset %s: a selection of the dataset cannot be read through another store", d.where())
	}
	with := func(n zarr.Node, own []zarr.Option) ([]zarr.Option, error) {
		docs, err := n.Documents()
		return slices.Concat(own, []zarr.Option{zarr.Documents(docs)}, opts), err
	}
	next := *d
	next.vars = maps.Clone(d.vars)
	o, err := with(d.group, d.group.Options())
	if err == nil {
		next.group, err = zarr.OpenGroup(ctx, st, d.group.Path(), o...)
	}
	if err != nil {
		return nil, fmt.Errorf("dataset %s: %w", d.where(), err)
	}
	for name, s := range d.vars {
		over := *s
		if o, err = with(s.array, s.array.Options()); err == nil {
			over.array, err = zarr.OpenArray(ctx, st, s.array.Path(), o...)
		}
		if err != nil {
			return nil, fmt.Errorf("dataset %s: variable %s: %w", d.where(), name, err)
		}
		next.vars[name] = &over
	}
	return &next, nil
}
