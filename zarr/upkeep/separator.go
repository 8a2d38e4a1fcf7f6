package upkeep

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/internal/hierarchy"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// RecordSeparator writes the separator of chunk keys that a uses, by the option [zarr.Separator] or
// by default, into the document of a v2 array, so that the option is not needed any more. Where the
// metadata has it already nothing is done. Nothing else in the document changes, and no chunk is
// touched: chunks under keys with the other separator, if there are any, stay unread. a itself is a
// snapshot and stays as it was.
//
// ErrConflict when the document was changed since a was opened; then open again and decide again. A
// store without versions refuses with errors.ErrUnsupported, unless SingleWriter was given.
// Consolidated metadata above the array, if any, leaves the separator open until [UpdateAbove] or
// [zarr.Group.Consolidate].
func RecordSeparator(ctx context.Context, a *zarr.Array) error {
	if !a.Metadata().NoSeparator {
		return nil
	}
	of := hierarchy.SourceOf(a)
	if err := recordSeparator(ctx, of, a.Metadata().Keys.Separator); err != nil {
		return errorf(of.At, err)
	}
	return nil
}

func recordSeparator(ctx context.Context, of *document.Source, separator string) error {
	key := of.At.Key(document.ZArray)
	v, err := of.At.Get(ctx, document.ZArray)
	if errors.Is(err, fault.NotFound) {
		return fault.Newf(fault.Conflict, "%q is gone: %w", key, err)
	}
	if err != nil {
		return err
	}
	now, err := of.At.Parser.ArrayV2(key, v.Bytes, "", nil)
	if err != nil {
		return err
	}
	if !now.NoSeparator {
		return fault.Newf(fault.Conflict, "%q says its separator by now", key)
	}
	if diff := now.Difference(of.Model.(*meta.Array)); diff != "" {
		return fault.Newf(fault.Conflict, "%q has another %s by now", key, diff)
	}
	doc, err := meta.SetSeparator(key, v.Bytes, separator)
	if err != nil {
		return err
	}
	_, err = of.At.Swap(ctx, document.Stored{Key: key, Bytes: v.Bytes, Version: v.Version}, doc, "metadata cannot be changed")
	return err
}
