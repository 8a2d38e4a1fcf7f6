package grow

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/internal/node/array"
	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Write stores the rows of an append. from is the index of the first row. view is the array
// extended by these rows.
type Write func(ctx context.Context, view *array.Array, from int) error

// Append appends n rows to one array along an axis and returns the array with its new shape. If it
// waits for another process, it may call write several times.
func Append(ctx context.Context, a *array.Array, axis, n int, write Write, o Options) (out *array.Array, err error) {
	if n == 0 {
		return a, nil
	}
	err = o.retrying(ctx, a, func(b *array.Array) (bool, error) {
		b, from, err := o.due(ctx, b, axis)
		if err != nil {
			return true, a.Errorf(err)
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

// appending is an append in progress. It appends the same number of rows to each of its arrays,
// whose documents have claims with the same ID.
type appending struct {
	o        Options
	group    *group // nil for an append to a single array
	members  []member
	from, to int
	wrote    bool // the rows may have been stored
}

// member is one array of an append.
type member struct {
	array   *array.Array // the array as last read or written
	axis    int
	write   Write
	claimed *claimed // nil before the array is claimed
}

func (m *member) extent() int { return extentOf(m.array, m.axis) }

// run claims the rows, stores the rows and sets the shapes. If it fails, it ends the claims.
func (w *appending) run(ctx context.Context) error {
	defer w.stop()
	if err := w.claim(ctx); err != nil {
		return w.release(ctx, w.errf(err))
	}
	steps, atOnce := []func(context.Context) error{w.write}, 2
	if w.group != nil {
		steps = []func(context.Context) error{w.group.hold, w.write}
		if slices.ContainsFunc(w.members, func(m member) bool { return m.extent() == w.to }) {
			// Readers may see the rows, and the claim of the array does not prove that they are not
			// those of an append that took over this one and has ended.
			atOnce = 1
		}
	}
	w.wrote = true
	err := concurrency.EachN(ctx, atOnce, len(steps), func(ctx context.Context, i int) error { return steps[i](ctx) })
	if err != nil {
		return w.release(ctx, err)
	}
	return w.commit(ctx)
}

// stop ends the renewals of the claims. The claims of the arrays of a group are renewed too: a
// change of one of the arrays sees only the claim in its own document.
func (w *appending) stop() {
	if w.group != nil && w.group.held != nil {
		w.group.held.Stop()
	}
	for i := range w.members {
		if c := w.members[i].claimed; c != nil {
			c.held.Stop()
		}
	}
}

// errf returns err. For an append without a group, errf adds the path of the array.
func (w *appending) errf(err error) error {
	if w.group == nil {
		err = w.members[0].array.Errorf(err)
	}
	return err
}

// each calls f for each array, concurrently.
func (w *appending) each(ctx context.Context, f func(ctx context.Context, m *member) error) error {
	if len(w.members) == 1 {
		return f(ctx, &w.members[0])
	}
	return concurrency.EachN(ctx, len(w.members), len(w.members), func(ctx context.Context, i int) error {
		return f(ctx, &w.members[i])
	})
}

// claim claims the group, if there is one, and then the arrays. The claim of the group remains
// pending until [group.hold]. When claim returns, an append that was taken over no longer has a
// claim on the group or on an array, so the lengths of the arrays are final. These lengths were
// read before the claim of the group was put. If another append has added rows since, claiming the
// arrays fails. If another append has taken over this append, hold fails.
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
	return w.each(ctx, func(ctx context.Context, m *member) (err error) {
		one := c
		one.Axis = m.axis
		m.claimed, err = claimRows(ctx, m.array, one, over, changed)
		if err == nil {
			m.claimed.held.Keep(ctx)
		}
		return err
	})
}

// write stores the rows of each array, even if an unfinished append has already extended the array.
// The rows of such arrays are not yet visible to readers that open the group through its
// consolidated metadata.
func (w *appending) write(ctx context.Context) error {
	return w.each(ctx, func(ctx context.Context, m *member) error {
		view, err := m.claimed.view(w.to - m.extent())
		if err == nil {
			err = m.write(ctx, view, w.from)
		}
		return err
	})
}

// commit sets the shapes of the arrays after all rows were stored, and then finishes the group. It
// continues even if ctx ends.
//
// If commit fails and no array can have been extended, it ends the claims. Otherwise the claim of
// the group remains, since the append must be completed, and the error is a halfAppended.
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
		err = concurrency.EachN(context.WithoutCancel(ctx), 2, 2, func(_ context.Context, i int) error {
			if i == 0 {
				var arrays []*node.Node
				for _, m := range w.members {
					arrays = append(arrays, m.array.At)
				}
				return w.group.finish(ctx, arrays)
			}
			node.KnownIn(ctx).Last(ctx)
			return nil
		})
	case longer == 0 && known:
		return w.release(ctx, err)
	}
	if err != nil {
		return &halfAppended{longer, len(w.members), w.from, err}
	}
	return nil
}

// release ends the claims after an error, before any array was extended, and returns err. If this
// append took over another append, release drops the claims of that append on arrays that this
// append has not claimed. It then calls group.release, which keeps the claim on the group if the
// other append must be completed.
func (w *appending) release(ctx context.Context, err error) error {
	if w.group != nil && w.group.held == nil {
		return err
	}
	ctx, cancel := node.Detached(ctx)
	defer cancel()
	var old claim.Claim // the claim of the group that was taken over
	if w.group != nil {
		old = w.group.old
	}
	failed, ended := make([]error, len(w.members)), make([]error, len(w.members))
	_ = concurrency.EachN(ctx, len(failed), len(failed), func(ctx context.Context, i int) error {
		if m := &w.members[i]; m.claimed != nil {
			ended[i] = m.claimed.giveUp(ctx, err)
		} else if old.Under() {
			failed[i] = dropClaim(ctx, m.array, w.group.taken())
		}
		return nil
	})
	if w.group != nil {
		return w.group.release(ctx, w, cmp.Or(failed...) == nil, err)
	}
	return cmp.Or(ended[0], err) // the first wraps err
}
