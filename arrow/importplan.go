package arrow

import (
	"context"
	"slices"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// ImportPlan describes an import.
type ImportPlan struct {
	New  bool // the import creates the dataset
	Rows int64
	Dims []dataset.Dim // of the table, with the lengths after the import
	More int           // labels by which the dimension Extend grows
	Vars []*zarr.Array // of the dataset after the import, without elements

	// Most are the requests for chunks if each is written once, and all elements between the first
	// and the last label of each dimension have a row.
	Most store.Amount
}

// PlanImport returns the plan of [Import] with the same arguments. It reads the labels of the
// table, and stores nothing. It checks labels and types, but not values.
func PlanImport(ctx context.Context, st store.Store, path string, o ImportOptions, from ...Source) (*ImportPlan, error) {
	j, err := newJob(ctx, st, path, o, from)
	if err != nil {
		return nil, err
	}
	p, d := &ImportPlan{New: j.fresh(), Rows: j.rows}, j.old
	if p.New {
		spec, err := j.spec()
		if err != nil {
			return nil, err
		}
		if d, err = dataset.Create(ctx, mem.New(), "", spec, dataset.Options{Indexes: []string{}}); err != nil {
			return nil, err
		}
	} else {
		more, err := j.unknown(d)
		if err == nil {
			err = j.dense(d, more)
		}
		if err != nil {
			return nil, err
		}
		p.More = len(more)
	}
	groups, err := j.plan(d, make([][]int, len(j.labels))) // of which only the variables are used
	if err != nil {
		return nil, err
	}
	box := map[string][2]int{} // from the first to after the last position
	for _, x := range j.labels {
		dim, first, last := dimOf(d, x.name), 0, 0
		if last = dim.Len; !p.New && len(x.keys) > 0 {
			at, err := x.positions(d, dim)
			if err != nil {
				return nil, err
			}
			last = slices.Max(at) + 1
			if at = slices.DeleteFunc(at, func(i int) bool { return i < 0 }); len(at) > 0 {
				first = slices.Min(at)
			} else {
				first = dim.Len
			}
			if x.name == j.o.Extend && p.More > 0 {
				dim.Len += p.More
				last = dim.Len
			}
		}
		p.Dims = append(p.Dims, dim)
		box[x.name] = [2]int{first, last}
	}
	for _, g := range groups {
		for _, t := range g.vars {
			s, sel := t.v.Array().Spec(), []zarr.Selection{}
			for k, dim := range g.dims {
				s.Shape[k] = max(s.Shape[k], box[dim.Name][1])
				sel = append(sel, zarr.Range(box[dim.Name][0], box[dim.Name][1]))
			}
			a, err := zarr.Create(ctx, mem.New(), t.name, s, j.o.Zarr...)
			if err != nil {
				return nil, err
			}
			plan, err := a.PlanWrite(sel...)
			if err != nil {
				return nil, err
			}
			_, most := plan.Bounds()
			p.Vars, p.Most = append(p.Vars, a), p.Most.Add(most)
		}
	}
	return p, nil
}
