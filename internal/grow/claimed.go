package grow

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/internal/node/array"
	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/zarr/fault"
)

// claimed is an append in progress to one array whose document carries the claim.
type claimed struct {
	a     *array.Array // the array as last read or written
	axis  int
	held  *node.Held
	wrote bool // objects may have been put since the last commit
}

// due returns the array with its documents and the row at which an append begins. It checks this
// row against o.At.
func (o Options) due(ctx context.Context, a *array.Array, axis int) (*array.Array, int, error) {
	a, err := a.Stored(ctx)
	if err != nil {
		return nil, 0, err
	}
	from := extentOf(a, axis)
	return a, from, o.mayBegin(from, func() error { return o.isLonger(ctx, a, axis) })
}

// isLonger returns nil if the stored array has more rows than o.At. It reads the array from the
// store, because a may be stale.
func (o Options) isLonger(ctx context.Context, a *array.Array, axis int) error {
	b, err := a.Refresh(ctx)
	if err != nil {
		return err
	}
	if shape := shapeOf(b); axis >= len(shape) || shape[axis] <= *o.At {
		return fault.Newf(fault.Conflict, "the array was resized concurrently to shape %v; see Refresh", shape)
	}
	return nil
}

// appendTo returns a claim for the rows [from, to) of one array, along an axis.
func appendTo(axis, from, to int) claim.Claim {
	c := claim.New(claim.Append)
	c.Axis, c.From, c.To = axis, from, to
	return c
}

// claimRows puts claim c in the document of an array, which may already have the rows. If the
// stored array has another shape, claimRows returns errShape or, if errShape is nil, an error that
// names the difference.
func claimRows(ctx context.Context, a *array.Array, c claim.Claim, over node.TakeOver, errShape error) (*claimed, error) {
	b, err := longer(a, c.Axis, max(0, c.To-extentOf(a, c.Axis)))
	if err != nil {
		return nil, err
	}
	grid := gridEdits(a, shapeOf(b))
	held, err := a.At.Hold(ctx, a.At.Doc, over, func(t node.Text) (node.Change, error) {
		err := t.As(a.At.Doc)
		if errors.Is(err, fault.Conflict) {
			err = cmp.Or(errShape, err)
		}
		return node.Change{Claim: c, Record: t.Record, Edits: grid}, err
	})
	if err != nil {
		return nil, err
	}
	return &claimed{a: a, axis: c.Axis, held: held}, nil
}

// dropClaim removes the claim from the document of an array if the ID of the claim is one of ids.
func dropClaim(ctx context.Context, a *array.Array, ids []string) error {
	err := a.At.Drop(ctx, a.At.Doc, ids...)
	if errors.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// view returns the array extended by n rows, to which the claimed rows are written. Each write
// first checks the claim.
func (c *claimed) view(n int) (*array.Array, error) {
	b, err := longer(c.a, c.axis, n)
	if err == nil {
		where := claim.Whole(shapeOf(b))
		where.Lo[c.axis] = c.held.Claim().From
		b, err = b.Guarded(c.held, where)
	}
	if err != nil {
		return nil, c.a.Errorf(err)
	}
	c.wrote = true
	return b, nil
}

// commit extends the array by n rows, which are all stored. The same put ends the claim or, if next
// is not 0, moves the claim to the next rows, whose number is next.
func (c *claimed) commit(ctx context.Context, n, next int) (*array.Array, error) {
	shape := shapeOf(c.a)
	shape[c.axis] += n
	change := node.Change{Record: c.held.Record().Written(shape)}
	if next > 0 {
		change.Claim = c.held.Claim()
		change.Claim.From, change.Claim.To = shape[c.axis], shape[c.axis]+next
	}
	var err error
	if change.Edits, err = shapeEdits(c.a, shape); err != nil {
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

// giveUp ends the claim after the error err, even if ctx has ended, so that other processes need
// not wait. It returns err. If giveUp fails, the claim remains until another process takes it over,
// and the error says so.
func (c *claimed) giveUp(ctx context.Context, err error) error {
	return giveUp(ctx, c.held, c.wrote, err)
}

func giveUp(ctx context.Context, held *node.Held, wrote bool, err error) error {
	ctx, cancel := node.Detached(ctx)
	defer cancel()
	c := held.Claim()
	failed := held.GiveUp(ctx, wrote)
	if failed == nil || errors.Is(failed, fault.Conflict) || !c.Under() {
		return err // a conflict means that the claim is gone
	}
	return &remains{c, failed, err}
}

// remains is the error of a change that could not remove its claim.
type remains struct {
	claim  claim.Claim
	failed error
	err    error
}

func (e *remains) Error() string {
	return fmt.Sprintf("%v; %v keeps its claim in the metadata, which could not be removed (%v): "+
		"replace it with TakeOver (--take-over 2m), or remove it with upkeep.DropClaim (zargo validate --repair --drop-claims 2m)",
		e.err, e.claim, e.failed)
}

func (e *remains) Unwrap() error { return e.err }
