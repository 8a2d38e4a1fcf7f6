package zarr

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// StateSeparator makes the document of a v2 array say the separator of chunk keys that a uses, by the option [Separator]
// or by default, so that the option is not needed any more. It returns the array as it is then; one whose metadata says it
// already is returned as it is. Nothing else in the document changes, and no chunk is touched: chunks of the other
// layout, if there are any, stay unread.
//
// ErrConflict when the document was changed since a was opened; then open again and decide again. A store without
// versions refuses with errors.ErrUnsupported, unless SingleWriter was given. Consolidated metadata above the array, if
// any, leaves the separator open until [UpdateAbove] or [Consolidate].
func StateSeparator(ctx context.Context, a *Array) (*Array, error) {
	if !a.meta.NoSeparator {
		return a, nil
	}
	if err := a.stateSeparator(ctx); err != nil {
		return nil, a.errf(err)
	}
	m := *a.meta
	m.NoSeparator = false
	return a.changed(a.node, &m), nil
}

func (a *Array) stateSeparator(ctx context.Context) error {
	key := join(a.path, document.ZArray)
	v, err := a.docs().Get(ctx, document.ZArray)
	if errors.Is(err, fault.NotFound) {
		return fault.Newf(fault.Conflict, "%q is gone: %w", key, err)
	}
	if err != nil {
		return err
	}
	now, err := meta.Parser{Types: a.cfg.types}.ArrayV2(key, v.Bytes, "", nil)
	if err != nil {
		return err
	}
	if !now.NoSeparator {
		return fault.Newf(fault.Conflict, "%q says its separator by now", key)
	}
	now.Keys = a.meta.Keys
	if diff := difference(now, a.meta); diff != "" {
		return fault.Newf(fault.Conflict, "%q has another %s by now", key, diff)
	}
	doc, err := meta.SetSeparator(key, v.Bytes, a.meta.Keys.Separator)
	if err != nil {
		return err
	}
	_, err = a.docs().Swap(ctx, key, doc, document.Was{There: true, Version: v.Version}, "metadata cannot be changed")
	return err
}
