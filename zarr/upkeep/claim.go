package upkeep

import (
	"context"
	"time"

	"github.com/zargo-io/zargo/internal/claim"
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// DropClaim takes the record of an append or a resize out of the document of an array or a group, where it began at least so long ago: its
// process was killed, as a rule, and what it did not finish is given up. It reports whether there was one. The shape stays, and how far
// the change may have written stays recorded, so that no value of it shows when the array grows again; see [FindOrphans] for its chunks.
// [zarr.TakeOver] goes on in place of dropping it.
//
// ErrConflict: the record is younger, or it is that of an append to several arrays of a group which are of different lengths by now; that is
// to be completed with [zarr.Group.Append] and [zarr.TakeOver]. The write is conditional: a process that is still at work ends with ErrConflict. n
// must have been opened from its documents, not from consolidated metadata.
func DropClaim(ctx context.Context, n zarr.Node, age time.Duration) (dropped bool, err error) {
	of := source(n)
	c, err := claimOf(of)
	if err != nil || !c.Under() {
		return false, err
	}
	if err := CheckClaim(ctx, n, age); err != nil {
		return false, err
	}
	rank := 0
	if a, ok := n.(*zarr.Array); ok {
		rank = len(a.Shape())
	}
	// One without an ID takes the place of that claim, and has what it may have written.
	_, err = of.At.Hold(ctx, of.Claimed(), rank, claim.Claim{What: claim.Resize}, nil, document.TakeOver{May: true, Age: age})
	if err != nil {
		return false, errorf(of.At, err)
	}
	return true, nil
}

// CheckClaim returns the error that [DropClaim] would, and changes nothing; nil also where there is no claim.
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

// sameLength makes sure that all arrays of a group which have a dimension are of one length along it.
func sameLength(ctx context.Context, g *zarr.Group, dim string) error {
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
