package model

import (
	"context"

	"github.com/zargo-io/zargo/dataset"
)

// datasets sets up the histories of jobs that append one day after another to a dataset with the
// coordinate time, each with its own labels and the option IfAbsent. Every actor runs the same
// jobs.
func datasets(h *history) {
	w := newHierarchy(h, true)
	t := w.arrays[1]
	t.path, w.labels = w.group+"/time", t
	j := &jobs{hierarchy: w, first: t.shape[0], days: 2 + h.rng.IntN(2), rows: 1 + h.rng.IntN(3)}
	w.done = map[int]*op{}
	w.play(j.run)
}

// label returns the label of a row.
func label(row int) int32 { return int32(row + 1) }

// appendLabels appends the rows of o, which start at its row, to the dataset.
func (j *jobs) appendLabels(ctx context.Context, a *actor, o *op) {
	at, t := *o.appends.At, j.arrays[0]
	o.labelled = true
	a.do(ctx, o, func(ctx context.Context) error {
		d, err := dataset.Open(ctx, a.store(), j.group, dataset.Options{}, a.options()...)
		if err != nil {
			return err
		}
		var labels, values []int32
		for r := range o.n {
			labels = append(labels, label(at+r))
		}
		axis := j.axis(t)
		box := all(t.shape)
		box.lo[axis], box.hi[axis] = at, at+o.n
		box.each(func(c [2]int) { values = append(values, o.row(c[axis]-at, c[1-axis])) })
		_, err = d.Append(ctx, "time", dataset.AppendOptions{IfAbsent: true, Wait: o.appends.Wait, TakeOver: o.appends.TakeOver},
			dataset.Stored("time", labels), dataset.Stored("d", values))
		return err
	}, func(err error) { j.labelsAppended(o, err) })
}

// labelsAppended checks the end of an append to the dataset. If it succeeds and has not stored rows
// in all arrays, or another operation completed them, rows with its labels exist.
func (j *jobs) labelsAppended(o *op, err error) {
	own := j.done[*o.appends.At] == nil
	for _, t := range o.targets {
		p := o.part(t)
		own = own && (p.done > 0 || p.completes)
	}
	if err != nil || own {
		j.groupAppended(o, err)
		return
	}
	for _, t := range o.targets {
		if n := t.shape[j.axis(t)]; n < *o.appends.At+o.n {
			j.h.fail("%v succeeds without rows, and %s has %d rows", o, t.path, n)
		}
	}
	o.settle(j.h.step)
}
