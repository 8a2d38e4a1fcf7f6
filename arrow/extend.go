package arrow

import (
	"bytes"
	"context"
	"iter"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// extend appends labels to the dimension Extend. The new rows of all variables are missing, until
// write writes them.
func (j *job) extend(ctx context.Context, d *dataset.Dataset, labels []key) (*dataset.Dataset, error) {
	dim := j.o.Extend
	data := []dataset.Data{}
	for _, v := range append(d.Vars(), d.Coords()...) {
		if !slices.ContainsFunc(v.Dims(), func(x dataset.Dim) bool { return x.Name == dim }) {
			continue
		}
		if v.Name() == dim {
			own, err := j.labelData(d, dim, labels)
			if err != nil {
				return nil, err
			}
			data = append(data, own)
			continue
		}
		_, missing, can, err := encoderOf(v, nulls)
		marked := err == nil && can
		if !slices.Contains(j.vars, v.Name()) && !marked {
			return nil, fault.Newf(fault.Type, "variable %s has the dimension %s and is not a column, and its elements cannot be missing", v.Name(), dim)
		}
		axis := slices.IndexFunc(v.Dims(), func(x dataset.Dim) bool { return x.Name == dim })
		data = append(data, dataset.Func(v.Name(), len(labels), func(ctx context.Context, view *zarr.Array, from int) error {
			if was := v.Array().Shape(); !marked && !slices.Equal(slices.Delete(view.Shape(), axis, axis+1), slices.Delete(was, axis, axis+1)) {
				return fault.Newf(fault.Conflict, "variable %s has the shape %v now, so that the table lacks rows", v.Name(), view.Shape())
			}
			return reserve(ctx, view, axis, from, missing)
		}))
	}
	return d.Append(ctx, dim, dataset.AppendOptions{IfAbsent: true, Wait: j.o.Wait, TakeOver: j.o.TakeOver}, data...)
}

// dense returns an error if new labels lack rows, or may lack them because rows may repeat labels,
// and a variable cannot mark missing elements.
func (j *job) dense(d *dataset.Dataset, labels []key) error {
	rows, all := int64(0), int64(len(labels))
	for _, x := range j.labels {
		if x.name != j.o.Extend {
			all *= int64(dimOf(d, x.name).Len)
			continue
		}
		for _, k := range labels {
			rows += x.count[x.codes[k]]
		}
	}
	for _, name := range j.vars {
		v, err := d.Var(name)
		if err != nil {
			return err
		}
		_, _, can, _ := encoderOf(v, nulls)
		switch {
		case !can && rows < all:
			return fault.Newf(fault.Type, "the table has %d of the %d new elements, and variable %s cannot mark missing ones", rows, all, name)
		case !can && j.o.LastWins && len(j.labels) > 1:
			return fault.Newf(fault.Type, "new elements may lack rows if rows repeat labels (LastWins), and variable %s cannot mark missing ones", name)
		}
	}
	return nil
}

// reserve writes missing elements from a row on. Elements of varying length become empty.
func reserve(ctx context.Context, a *zarr.Array, axis, from int, missing []byte) error {
	var boxes iter.Seq[zarr.Region] = func(yield func(zarr.Region) bool) {
		for r := range a.ObjectRegions() {
			if r.Start[axis]+r.Shape[axis] > from && !yield(r) {
				return
			}
		}
	}
	return concurrency.Each(ctx, 8, boxes, func(ctx context.Context, r zarr.Region) error {
		sel, n := make([]zarr.Selection, len(r.Shape)), 1
		for k, s := range r.Start {
			lo := s
			if k == axis {
				lo = max(s, from)
			}
			end := min(s+r.Shape[k], a.Shape()[k])
			sel[k] = zarr.Range(lo, end)
			n *= end - lo
		}
		if a.DType().Size() == 0 {
			return a.WriteItems(ctx, make([][]byte, n), sel...)
		}
		return a.WriteBytes(ctx, bytes.Repeat(missing, n), sel...)
	})
}
