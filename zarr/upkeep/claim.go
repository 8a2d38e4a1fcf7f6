package upkeep

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/zargo-io/zargo/internal/grow"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// DropClaim removes the claim of an append or a resize from the document of an array or a group, if
// the change began at least age ago. Such a claim usually belongs to a killed process whose change
// is abandoned. DropClaim reports whether the document had a claim.
//
// The shape does not change. The region that the change may have written is recorded in the
// document, so that the values there do not appear when the array grows again. [FindOrphans] finds
// the chunks of that region. If DropClaim drops the claim of a group, it also drops the claims of
// the same append on arrays below the group, and updates the arrays in the consolidated metadata of
// the group, which the append may not have done. An append with TakeOver set in
// [zarr.AppendOptions] replaces the claim and does not need DropClaim.
//
// DropClaim returns ErrConflict if the claim is younger than age. It also returns ErrConflict if
// the claim belongs to an append to several arrays of a group whose lengths now differ; complete
// that append with [zarr.Group.Append] and TakeOver. The write is conditional: if a process is
// still running the change, that process fails with ErrConflict. If n was not opened from its
// own documents, DropClaim reads them (see [zarr.Array.Stored]).
func DropClaim(ctx context.Context, n zarr.Node, age time.Duration) (dropped bool, err error) {
	if n, err = n.Stored(ctx); err != nil {
		return false, err
	}
	of := node.Of(n)
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
			return false, of.Errorf(err)
		}
		return dropped, nil
	}
	err = of.Drop(ctx, of.Claimed(), c.ID)
	if errors.Is(err, fault.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, of.Errorf(err)
	}
	return true, nil
}

// dropGroup drops the claims of an append on a group and on the arrays below it. It first replaces
// the claim on the group with a new claim, so that the append claims no more arrays and fails
// before it extends another array. dropGroup then drops the claims on the arrays, after which the
// shapes of the arrays are final. If the arrays then differ in length, the new claim stays in the
// group's document. The append may have ended after it changed the shapes and before it changed
// consolidated metadata, so dropGroup updates the arrays there.
func dropGroup(ctx context.Context, g *zarr.Group, c claim.Claim) (bool, error) {
	of := node.Of(g)
	mine := claim.New(c.What)
	held, err := of.Hold(ctx, of.Claimed(), node.TakeOver{IDs: []string{c.ID}}, func(t node.Text) (node.Change, error) {
		if t.Claim.ID != c.ID {
			return node.Change{}, errNoClaim
		}
		is := t.Claim // it may no longer be pending
		mine.Dim, mine.From, mine.To, mine.Pending, mine.Since = is.Dim, is.From, is.To, is.Pending, is.Since
		return node.Change{Claim: mine.After(is), Record: t.Record}, nil
	})
	if errors.Is(err, errNoClaim) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	// An earlier process may have dropped the group's claim but not the arrays' claims.
	ids := append(slices.Clone(held.Record().Taken), c.ID)
	arrays, err := finish(ctx, g, c.Dim, ids)
	if err != nil && !errors.Is(err, fault.Conflict) {
		// A request failed or ctx ended. Try again, so that the new claim does not remain.
		var cancel context.CancelFunc
		ctx, cancel = node.Detached(ctx)
		defer cancel()
		arrays, err = finish(ctx, g, c.Dim, ids)
	}
	if err != nil {
		return false, err
	}
	err = grow.Finish(ctx, of, held, arrays)
	if errors.Is(err, fault.Metadata) || errors.Is(err, errors.ErrUnsupported) {
		err = held.GiveUp(ctx, false) // consolidated metadata that cannot be changed
	}
	return err == nil, err
}

// finish drops the claims of an append on the arrays below a group. It then checks that the final
// lengths of the arrays are equal, and returns the arrays.
func finish(ctx context.Context, g *zarr.Group, dim string, ids []string) ([]*node.Node, error) {
	if err := dropBelow(ctx, g, ids); err != nil {
		return nil, err
	}
	return sameLength(ctx, g, dim)
}

var errNoClaim = errors.New("the document has no claim")

// dropBelow drops the claims whose ID is in ids from the arrays below a group.
func dropBelow(ctx context.Context, g *zarr.Group, ids []string) error {
	g, err := g.With(zarr.IgnoreConsolidated())
	if err != nil {
		return err
	}
	for n, err := range g.Walk(ctx) {
		if err != nil {
			return err
		}
		of := node.Of(n)
		if of.Kind() != node.Array || of.Format == 1 {
			continue
		}
		c, err := claimOf(of)
		if err == nil && slices.Contains(ids, c.ID) {
			err = of.Drop(ctx, of.Claimed(), ids...)
		}
		if err != nil && !errors.Is(err, fault.NotFound) {
			return err
		}
	}
	return nil
}

// CheckClaim returns the error that [DropClaim] would return, without changing anything. It returns
// nil if the document lacks a claim.
func CheckClaim(ctx context.Context, n zarr.Node, age time.Duration) error {
	n, err := n.Stored(ctx)
	if err != nil {
		return err
	}
	of := node.Of(n)
	c, err := claimOf(of)
	if err != nil || !c.Under() {
		return err
	}
	if age > 0 && time.Since(c.Alive()) < age {
		return of.Errorf(fault.Newf(fault.Conflict, "the claim must be older than %[2]v: %[1]v", c, age))
	}
	if g, ok := n.(*zarr.Group); ok {
		if _, err := sameLength(ctx, g, c.Dim); err != nil {
			return of.Errorf(err)
		}
	}
	return nil
}

// claimOf returns the claim in a node's document.
func claimOf(of *node.Node) (claim.Claim, error) {
	c, err := node.ClaimIn(of.Claimed())
	if err != nil {
		err = of.Errorf(err)
	}
	return c, err
}

// sameLength returns the stored arrays of a group that have the dimension dim, and checks that
// their lengths along it are equal.
func sameLength(ctx context.Context, g *zarr.Group, dim string) (arrays []*node.Node, err error) {
	if g, err = g.With(zarr.IgnoreConsolidated()); err != nil {
		return nil, err
	}
	length, of := -1, ""
	for n, err := range g.Walk(ctx) {
		if err != nil {
			return nil, err
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
				return nil, fault.Newf(fault.Conflict, "%q has %d rows along %q and %q has %d: complete the append with TakeOver", of, length, dim, a.Path(), n)
			}
			length, of = n, a.Path()
			arrays = append(arrays, node.Of(a))
		}
	}
	return arrays, nil
}
