package model

import (
	"context"

	"github.com/zargo-io/zargo/dataset"
)

// datasets plays a history of jobs. Each job appends one day, with the labels of that day, to a
// dataset with the coordinate time and the option IfAbsent. All actors run the same jobs.
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

// appendLabels appends the rows of o to the dataset. The first row is *o.appends.At.
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

// labelsAppended checks the result of an append to the dataset. If it succeeds, but another
// operation has done the job or the append stored and completed no rows in one of the arrays, the
// rows of the job must exist.
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
