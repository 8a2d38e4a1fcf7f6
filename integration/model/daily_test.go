package model

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// daily sets up the histories of jobs that append one day after another, each at its own row
// (AppendOptions.At). Every actor runs the same jobs.
func daily(h *history) {
	w := newHierarchy(h, h.rng.IntN(2) == 0)
	t := w.arrays[0]
	j := &jobs{hierarchy: w, first: t.shape[w.axis(t)], days: 2 + h.rng.IntN(2), rows: 1 + h.rng.IntN(3)}
	w.done = map[int]*op{}
	w.play(j.run)
}

// jobs are the appends of consecutive days.
type jobs struct {
	*hierarchy
	first int // row of the first day
	days  int
	rows  int // rows per day
}

// maxTries is the maximum number of attempts of one actor at the job of one day.
const maxTries = 3

// run runs the jobs in order and stops at the first failure.
func (j *jobs) run(ctx context.Context, a *actor) {
	for day := range j.days {
		if a.rng.IntN(3) == 0 {
			j.between(ctx, a)
		}
		var o *op
		for range maxTries {
			if a.gone() {
				return
			}
			if o = j.append(ctx, a, j.first+day*j.rows); o.err == nil || errors.Is(o.err, fault.Exists) {
				break
			}
		}
		if o.err != nil && !errors.Is(o.err, fault.Exists) {
			return
		}
	}
}

// append appends a day at a row.
func (j *jobs) append(ctx context.Context, a *actor, at int) *op {
	t := j.arrays[0]
	o := &op{kind: doAppend, axis: j.axis(t), n: j.rows, targets: j.arrays, text: fmt.Sprintf("%d rows at %d", j.rows, at)}
	o.filling(a)
	o.appends = j.patience(a, o)
	o.appends.At = &at
	if j.labels != nil {
		j.appendLabels(ctx, a, o)
		return o
	}
	if j.group != "" {
		j.groupAppend(ctx, a, nil, o)
		return o
	}
	x := j.open(ctx, a, t)
	if x == nil {
		o.err = errLost
		return o
	}
	j.appendTo(ctx, a, t, with(x), o)
	return o
}

// between runs another operation.
func (j *jobs) between(ctx context.Context, a *actor) {
	t := j.arrays[a.rng.IntN(len(j.arrays))]
	what := weights{doRead: 2, doAttrs: 2, doWrite: 1, doOrphans: 1, doDrop: 1, doConsolidate: 1}.pick(a)
	if what == doWrite && t == j.labels {
		t = j.arrays[0]
	}
	x := j.open(ctx, a, t)
	if x == nil || a.gone() {
		return
	}
	switch what {
	case doRead:
		j.read(ctx, a, t, x)
	case doAttrs:
		j.attrs(ctx, a, x)
	case doWrite:
		j.write(ctx, a, t, x)
	case doOrphans:
		j.orphans(ctx, a, t, x)
	case doDrop:
		if j.group == "" {
			j.drop(ctx, a, x)
		}
	case doConsolidate:
		if j.group != "" {
			a.do(ctx, &op{kind: doConsolidate}, func(ctx context.Context) error {
				g, err := zarr.OpenGroup(ctx, a.store(), j.group, a.options()...)
				if err == nil {
					_, err = g.Consolidate(ctx)
				}
				return err
			}, nil)
		}
	}
}

// dated checks the end of an append at a row. No operation shortens arrays, so at most one append
// at a row is acknowledged, and its rows start there. After fault.Exists all arrays must have the
// row, also for a process that opens the group.
func (w *hierarchy) dated(o *op, err error) {
	at := *o.appends.At
	switch {
	case err == nil:
		for _, t := range o.targets {
			if p := o.part(t); p.first != at {
				w.h.fail("%v is acknowledged, and its rows of %s begin at %d", o, t.path, p.first)
			}
		}
		if other := w.done[at]; other != nil {
			w.h.fail("%v and %v are both acknowledged", other, o)
		}
		w.done[at] = o
	case errors.Is(err, fault.Exists):
		for _, t := range o.targets {
			if n := t.shape[w.axis(t)]; n <= at {
				w.h.fail("%v: %v: %s has %d rows", o, err, t.path, n)
			}
			if s := w.copied[strings.TrimPrefix(t.path, w.group+"/")]; s != nil && s[w.axis(t)] <= at && !w.behind {
				w.h.fail("%v: %v: consolidated metadata says %d rows of %s", o, err, s[w.axis(t)], t.path)
			}
		}
	}
}
