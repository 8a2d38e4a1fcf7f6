package zarr

import (
	"context"

	"github.com/zargo-io/zargo/internal/hierarchy"
)

// confirm makes sure, once and before anything is written, that an array whose documents were not
// read is stored as they say: chunks written by a stale copy would be garbage to every other
// reader.
func (a *Array) confirm(ctx context.Context) error {
	if a.at.From == hierarchy.FromStore || a.shared.confirmed.Load() {
		return nil
	}
	_, _, err := a.shared.confirms.Do(ctx, "", func(ctx context.Context) (struct{}, error) {
		if a.shared.confirmed.Load() {
			return struct{}{}, nil
		}
		err := a.at.Confirm(ctx, a.at.Array())
		a.shared.confirmed.Store(err == nil)
		return struct{}{}, err
	})
	return err
}
