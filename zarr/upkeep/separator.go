package upkeep

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// RecordSeparator writes a chunk key separator into the document of a v2 array, so that readers no
// longer need the option [zarr.Separator]. It writes the separator of the option that the array was
// opened with, or the default without that option. If the metadata declares a separator,
// RecordSeparator does nothing. It changes neither the rest of the document nor chunks, so chunks
// stored under the other separator remain unread. The array a is a snapshot and does not change.
//
// RecordSeparator returns ErrConflict if the document changed since a was opened; then open the
// array again to see its current metadata. It returns errors.ErrUnsupported if the store has no
// versions, unless SingleWriter was passed. The consolidated metadata of groups above the array
// lacks the separator until [UpdateParents] or [zarr.Group.Consolidate] updates it.
func RecordSeparator(ctx context.Context, a *zarr.Array) error {
	if !a.Metadata().NoSeparator {
		return nil
	}
	of := node.Of(a)
	if err := recordSeparator(ctx, of, a.Metadata().Keys.Separator); err != nil {
		return of.Errorf(err)
	}
	return nil
}

func recordSeparator(ctx context.Context, of *node.Node, separator string) error {
	key := of.Key(node.ZArray)
	v, err := of.Get(ctx, node.ZArray)
	if errors.Is(err, fault.NotFound) {
		return fault.Newf(fault.Conflict, "%q was deleted concurrently: %w", key, err)
	}
	if err != nil {
		return err
	}
	now, err := of.Plain().ArrayV2(key, v.Bytes, "", nil)
	if err != nil {
		return err
	}
	if !now.NoSeparator {
		return fault.Newf(fault.Conflict, "%q was changed concurrently and declares its separator", key)
	}
	if diff := now.Difference(of.Model.(*meta.Array)); diff != "" {
		return fault.Newf(fault.Conflict, "%q was changed concurrently and has a different %s", key, diff)
	}
	doc, err := meta.SetSeparator(key, v.Bytes, separator)
	if err != nil {
		return err
	}
	_, err = of.Swap(ctx, v, doc, "metadata cannot be changed")
	return err
}
