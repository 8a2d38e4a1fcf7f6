package grow

import (
	"cmp"
	"context"
	"errors"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/claim"
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Write stores the rows of an append, which begin at row from. view is the array extended by these
// rows.
type Write func(ctx context.Context, view Array, from int) error

// Append appends n rows along an axis of one array and returns the array with its new shape. It may
// call write more than once if it waits for another process.
func Append(ctx context.Context, a Array, axis, n int, write Write, o Options) (out Array, err error) {
	if n == 0 {
		return a, nil
	}
	err = o.retrying(ctx, a, func(b Array) (bool, error) {
		b, from, err := o.due(ctx, b, axis)
		if err != nil {
			return true, errf(a, err)
		}
		w := &appending{o: o, members: []member{{array: b, axis: axis, write: write}}, from: from, to: from + n}
		err = w.run(ctx)
		out = w.members[0].array
		return true, err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// appending is an append in progress. It appends the same number of rows to one or more arrays. The
// claims in the documents of the arrays have the same ID.
type appending struct {
	o        Options
	group    *group // nil for an append to a single array
	members  []member
	from, to int
}

// member is one array of an append.
type member struct {
	array   Array // the array as last read or written
	axis    int
	write   Write
	claimed *claimed // nil before the array is claimed
}

func (m *member) extent() int { return extentOf(m.array, m.axis) }

// run claims the rows, stores them and sets the shapes. If it fails, it ends the claims.
func (w *appending) run(ctx context.Context) error {
	if err := w.claim(ctx); err != nil {
		return w.release(ctx, w.errf(err))
	}
	if err := w.write(ctx); err != nil {
		return w.release(ctx, err)
	}
	return w.commit(ctx)
}

// errf returns err with the path of the array if the append has no group.
func (w *appending) errf(err error) error {
	if w.group == nil {
		err = errf(w.members[0].array, err)
	}
	return err
}

// each calls f for all arrays concurrently.
func (w *appending) each(ctx context.Context, f func(ctx context.Context, m *member) error) error {
	if len(w.members) == 1 {
		return f(ctx, &w.members[0])
	}
	return concurrency.EachN(ctx, len(w.members), len(w.members), func(ctx context.Context, i int) error {
		return f(ctx, &w.members[i])
	})
}

// claim claims the group, if there is one, and then the arrays. When claim returns, an append that
// was taken over no longer has a claim on the group or on an array, so the lengths of the arrays
// are final. Until then the claim of the group is pending. The lengths of the arrays were read
// before that claim was put. If another append has added rows since, the claims on the arrays
// detect it. The last put also detects that another append took over this one.
func (w *appending) claim(ctx context.Context) error {
	c := appendTo(0, w.from, w.to)
	over := w.o.Over
	var changed error
	if w.group != nil {
		if err := w.group.claim(ctx, c, over); err != nil {
			return err
		}
		if err := w.group.fence(ctx); err != nil {
			return err
		}
		over.IDs, changed = w.group.taken(), errChanged
	}
	err := w.each(ctx, func(ctx context.Context, m *member) (err error) {
		one := c
		one.Axis = m.axis
		m.claimed, err = claimRows(ctx, m.array, one, over, changed)
		return err
	})
	if err != nil || w.group == nil {
		return err
	}
	return w.group.hold(ctx)
}

// write stores the rows of each array. An unfinished append may have extended some arrays already.
// write also stores the rows of these arrays. Readers that open the group through its consolidated
// metadata do not see the rows yet.
func (w *appending) write(ctx context.Context) error {
	return w.each(ctx, func(ctx context.Context, m *member) error {
		view, err := m.claimed.view(w.to - m.extent())
		if err == nil {
			err = m.write(ctx, view, w.from)
		}
		return err
	})
}

// commit sets the shapes of the arrays, whose rows are all stored, and then finishes the group.
// Once started, it continues even if ctx ends.
//
// If commit fails before an array can have been extended, it ends the claims. If it fails later,
// the claim of the group remains, since the append must be completed. The error for a group is then
// halfAppended.
func (w *appending) commit(ctx context.Context) error {
	errs := make([]error, len(w.members))
	_ = concurrency.EachN(context.WithoutCancel(ctx), len(errs), len(errs), func(_ context.Context, i int) error {
		m := &w.members[i]
		a, err := m.claimed.commit(ctx, w.to-m.extent(), 0)
		if errs[i] = err; err == nil {
			m.array = a
		}
		return nil
	})
	err := cmp.Or(errs...)
	switch {
	case w.group == nil && err == nil:
		return nil
	case w.group == nil:
		return w.release(ctx, w.errf(err))
	}
	longer, known := 0, true
	for i, err := range errs {
		if w.members[i].extent() == w.to {
			longer++
		}
		known = known && (err == nil || errors.Is(err, fault.Conflict))
	}
	switch {
	case err == nil:
		err = w.group.finish(ctx, w.members)
	case longer == 0 && known:
		return w.release(ctx, err)
	}
	if err != nil {
		return &halfAppended{longer, len(w.members), err}
	}
	return nil
}

// release ends the claims after an error before the first commit, and returns err. If another
// append was taken over, release drops its claims on arrays that were not claimed yet. It then
// calls group.release, which keeps the claim on the group if the other append must be completed.
func (w *appending) release(ctx context.Context, err error) error {
	if w.group != nil && w.group.held == nil {
		return err
	}
	ctx, cancel := document.Detached(ctx)
	defer cancel()
	var old claim.Claim // the claim of the group that was taken over
	if w.group != nil {
		old = w.group.old
	}
	failed := make([]error, len(w.members))
	_ = concurrency.EachN(ctx, len(failed), len(failed), func(ctx context.Context, i int) error {
		if m := &w.members[i]; m.claimed != nil {
			m.claimed.giveUp(ctx)
		} else if old.Under() {
			failed[i] = dropClaim(ctx, m.array, w.group.taken())
		}
		return nil
	})
	if w.group != nil {
		w.group.release(ctx, w, cmp.Or(failed...) == nil)
	}
	return err
}
