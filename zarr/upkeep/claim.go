package upkeep

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/zargo-io/zargo/internal/claim"
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// DropClaim takes the claim of an append or a resize out of the document of an array or a group,
// where the change began at least age ago: its process was killed, as a rule, and what it did not
// finish is given up. DropClaim reports whether there was a claim. The shape stays, and where the
// change may have written is recorded, so that no value of it shows when the array grows again; see
// [FindOrphans] for its chunks. With the claim of a group go those that the same append has on
// arrays below it. An append with TakeOver in [zarr.AppendOptions] does not need it.
//
// ErrConflict: the claim is younger than age, or it is that of an append to several arrays of a
// group which are of different lengths by now; that is to be completed with [zarr.Group.Append] and
// TakeOver. The write is conditional: a process that is still at work ends with ErrConflict. n must
// have been opened from its documents, not from consolidated metadata.
func DropClaim(ctx context.Context, n zarr.Node, age time.Duration) (dropped bool, err error) {
	of := source(n)
	c, err := claimOf(of)
	if err != nil || !c.Under() {
		return false, err
	}
	if err := CheckClaim(ctx, n, age); err != nil {
		return false, err
	}
	if g, ok := n.(*zarr.Group); ok {
		dropped, err := dropGroup(ctx, g, c)
		if err != nil {
			return false, errorf(of.At, err)
		}
		return dropped, nil
	}
	err = of.At.Drop(ctx, of.Claimed(), c.ID)
	if errors.Is(err, fault.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, errorf(of.At, err)
	}
	return true, nil
}

// dropGroup drops the claim of an append to a group and its arrays. The group is claimed in its
// place first, so that the append claims no more arrays, or finds out before it makes one longer;
// and then its claims on arrays are dropped, so that what they show of it is final. Where they are
// of different lengths by then, that claim stays.
func dropGroup(ctx context.Context, g *zarr.Group, c claim.Claim) (bool, error) {
	of := source(g)
	mine := claim.New(c.What)
	mine.Dim, mine.From, mine.To, mine.Since = c.Dim, c.From, c.To, c.Since
	held, err := of.At.Hold(ctx, of.Claimed(), document.TakeOver{IDs: []string{c.ID}}, func(t document.Text) (document.Change, error) {
		if t.Claim.ID != c.ID {
			return document.Change{}, errNoClaim
		}
		return document.Change{Claim: mine.After(c), Record: t.Record}, nil
	})
	if errors.Is(err, errNoClaim) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	// An earlier process may have dropped a claim of the group and not those below it.
	ids := append(slices.Clone(held.Record().Taken), c.ID)
	err = finish(ctx, g, c.Dim, ids)
	if err != nil && !errors.Is(err, fault.Conflict) {
		// A request failed, or ctx has ended. The claim that was put is not left.
		var cancel context.CancelFunc
		ctx, cancel = document.Detached(ctx)
		defer cancel()
		err = finish(ctx, g, c.Dim, ids)
	}
	if err == nil {
		err = held.GiveUp(ctx, false)
	}
	return err == nil, err
}

// finish drops the claims of an append below a group, and makes sure that what the arrays show of
// it is final.
func finish(ctx context.Context, g *zarr.Group, dim string, ids []string) error {
	if err := dropBelow(ctx, g, ids); err != nil {
		return err
	}
	return sameLength(ctx, g, dim)
}

var errNoClaim = errors.New("the claim is gone")

// dropBelow takes the claims of an append to a group out of its arrays.
func dropBelow(ctx context.Context, g *zarr.Group, ids []string) error {
	g, err := g.With(zarr.IgnoreConsolidated())
	if err != nil {
		return err
	}
	for n, err := range g.Walk(ctx) {
		if err != nil {
			return err
		}
		of := source(n)
		if of.Kind() != document.Array || of.Format() == 1 {
			continue
		}
		c, err := claimOf(of)
		if err == nil && slices.Contains(ids, c.ID) {
			err = of.At.Drop(ctx, of.Claimed(), ids...)
		}
		if err != nil && !errors.Is(err, fault.NotFound) {
			return err
		}
	}
	return nil
}

// CheckClaim returns the error that [DropClaim] would, and changes nothing; nil also where there is
// no claim.
func CheckClaim(ctx context.Context, n zarr.Node, age time.Duration) error {
	of := source(n)
	c, err := claimOf(of)
	if err != nil || !c.Under() {
		return err
	}
	if age > 0 && time.Since(c.Since) < age {
		return errorf(of.At, fault.Newf(fault.Conflict, "%v is younger than %v", c, age))
	}
	if g, ok := n.(*zarr.Group); ok {
		if err := sameLength(ctx, g, c.Dim); err != nil {
			return errorf(of.At, err)
		}
	}
	return nil
}

// claimOf is the change under way that the document of a node has.
func claimOf(of *document.Source) (claim.Claim, error) {
	c, err := document.ClaimIn(of.Claimed())
	if err != nil {
		err = errorf(of.At, err)
	}
	return c, err
}

// sameLength makes sure that all arrays of a group which have a dimension are of one length along
// it, as they are stored.
func sameLength(ctx context.Context, g *zarr.Group, dim string) error {
	g, err := g.With(zarr.IgnoreConsolidated())
	if err != nil {
		return err
	}
	length, of := -1, ""
	for n, err := range g.Walk(ctx) {
		if err != nil {
			return err
		}
		a, ok := n.(*zarr.Array)
		if !ok {
			continue
		}
		for i, name := range a.Dims() {
			n := a.Shape()[i]
			if name != dim {
				continue
			}
			if length >= 0 && n != length {
				return fault.Newf(fault.Conflict, "%q has %d rows along %q and %q has %d: the append is to be completed with TakeOver", of, length, dim, a.Path(), n)
			}
			length, of = n, a.Path()
		}
	}
	return nil
}
