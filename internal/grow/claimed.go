package grow

import (
	"cmp"
	"context"
	"errors"

	"github.com/zargo-io/zargo/internal/claim"
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/fault"
)

// claimed is an append to one array in progress: the document of the array has the claim.
type claimed struct {
	a     Array // as it is stored
	axis  int
	held  *document.Held
	wrote bool // objects may have been put
}

// due returns the array with its documents, and the row at which an append begins.
func (o Options) due(ctx context.Context, a Array, axis int) (Array, int, error) {
	a, err := a.Stored(ctx)
	if err != nil {
		return nil, 0, err
	}
	from := extentOf(a, axis)
	return a, from, o.mayBegin(from, func() error { return o.isLonger(ctx, a, axis) })
}

// isLonger checks that the stored array has more rows than At.
func (o Options) isLonger(ctx context.Context, a Array, axis int) error {
	b, err := a.Reopen(ctx)
	if err != nil {
		return err
	}
	if shape := shapeOf(b); axis >= len(shape) || shape[axis] <= *o.At {
		return fault.Newf(fault.Conflict, "the array has the shape %v by now; see Refresh", shape)
	}
	return nil
}

// appendTo is the claim of rows from up to to along an axis of one array.
func appendTo(axis, from, to int) claim.Claim {
	c := claim.New(claim.Append)
	c.Axis, c.From, c.To = axis, from, to
	return c
}

// claimRows claims the rows of c in the document of an array, which may have them already. changed
// is the error where the stored array has another shape; nil: one that says so.
func claimRows(ctx context.Context, a Array, c claim.Claim, over document.TakeOver, changed error) (*claimed, error) {
	if _, err := longer(a, c.Axis, max(0, c.To-extentOf(a, c.Axis))); err != nil {
		return nil, err
	}
	s := a.Source()
	held, err := s.At.Hold(ctx, s.Doc, over, func(t document.Text) (document.Change, error) {
		err := t.As(s.Doc)
		if errors.Is(err, fault.Conflict) {
			err = cmp.Or(changed, err)
		}
		return document.Change{Claim: c, Record: t.Record}, err
	})
	if err != nil {
		return nil, err
	}
	return &claimed{a: a, axis: c.Axis, held: held}, nil
}

// dropClaim removes the claim of an ID from the document of an array, if it is there.
func dropClaim(ctx context.Context, a Array, ids []string) error {
	s := a.Source()
	err := s.At.Drop(ctx, s.Doc, ids...)
	if errors.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// view returns the array with n more rows, for writes of the claimed rows.
func (c *claimed) view(n int) (Array, error) {
	b, err := longer(c.a, c.axis, n)
	if err == nil {
		where := claim.Whole(shapeOf(b))
		where.Lo[c.axis] = c.held.Claim().From
		b, err = guarded(b, c.held, where)
	}
	if err != nil {
		return nil, errf(c.a, err)
	}
	c.wrote = true
	return b, nil
}

// guarded returns an array for writes of a box while its document is held. If a request of a change
// that was given up may still arrive in the box, all chunks are stored, those of fill values too:
// the condition of that request, an absent key, then fails.
func guarded(a Array, held *document.Held, where claim.Box) (Array, error) {
	return a.Guarded(held.Check, held.Record().Touches(aligned(a.Engine().Layout.Axes, where)))
}

// commit makes the array n rows longer. Unless next is 0, it claims next rows after them with the
// same put.
func (c *claimed) commit(ctx context.Context, n, next int) (Array, error) {
	shape := shapeOf(c.a)
	shape[c.axis] += n
	change := document.Change{Record: c.held.Record().Written(shape)}
	if next > 0 {
		change.Claim = c.held.Claim()
		change.Claim.From, change.Claim.To = shape[c.axis], shape[c.axis]+next
	}
	var err error
	if change.Edits, err = shapeEdits(shape); err != nil {
		return nil, err
	}
	if err := c.held.Commit(ctx, change); err != nil {
		return nil, err
	}
	a, err := c.a.Parse(c.held.Doc())
	if err != nil {
		return nil, err
	}
	c.a, c.wrote = a, false
	return a, nil
}

// giveUp ends the claim after an error, also after that of a context, so that the next process need
// not wait. A claim that cannot be ended can be taken over.
func (c *claimed) giveUp(ctx context.Context) { giveUp(ctx, c.held, c.wrote) }

func giveUp(ctx context.Context, held *document.Held, wrote bool) {
	ctx, cancel := document.Detached(ctx)
	defer cancel()
	_ = held.GiveUp(ctx, wrote)
}
