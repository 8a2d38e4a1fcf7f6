package dataset

import (
	"context"
	"slices"
	"sync"

	"github.com/zargo-io/zargo/internal/copying/rehearsal"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
)

// PlanAppend returns the minimum and the maximum requests and bytes of [Dataset.Append] with the
// same arguments: for documents, claims, labels and chunks. It stores nothing. It opens the dataset
// again, sends all reads of the append except those of the rows, and keeps the documents and the
// labels of the index coordinate in memory. It does not call the functions of [Func]. A plan
// includes neither repeated requests nor the effects of other writers. Errors are those of Append.
func (d *Dataset) PlanAppend(ctx context.Context, dim string, o AppendOptions, data ...Data) (least, most store.Amount, err error) {
	if err := d.usable(); err != nil {
		return least, most, err
	}
	var report zarr.Report
	dry := rehearsal.New(d.group.Store())
	st, _ := zarr.WithReport(&report).Count(dry)
	g, err := zarr.OpenGroup(ctx, st, d.group.Path(), d.group.Options()...)
	if err != nil {
		return least, most, err
	}
	n, err := OpenGroup(ctx, g, d.options)
	if err != nil {
		return least, most, err
	}
	opened := report.Amount()
	var p plannedRows
	if _, err := n.append(ctx, dim, o, &p, data); err != nil {
		return least, most, err
	}
	around := report.Amount().Sub(opened)
	least, most = p.least.Add(around), p.most.Add(around)
	fewer, more := dry.Inexact()
	return least.Sub(fewer), most.Add(more), nil
}

// plannedRows adds up the requests of rows. It is safe for concurrent use.
type plannedRows struct {
	mu          sync.Mutex
	least, most store.Amount
}

// rows returns n rows of an array that are planned instead of written.
func (p *plannedRows) rows(path string, dims []string, dim string, n int) zarr.Rows {
	return zarr.Rows{Path: path, N: n, Write: func(_ context.Context, view *zarr.Array, from int) error {
		var where []zarr.Selection
		for _, length := range view.Shape()[:slices.Index(dims, dim)] {
			where = append(where, zarr.Range(0, length))
		}
		plan, err := view.PlanWrite(append(where, zarr.Range(from, from+n))...)
		if err != nil {
			return err
		}
		least, most := plan.Bounds()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.least, p.most = p.least.Add(least), p.most.Add(most)
		return nil
	}}
}
