package zarr

import (
	"context"

	"github.com/zargo-io/zargo/internal/node/hierarchy"
)

// confirm checks, once and before the first write, that the array's stored metadata agrees with the
// documents it was opened from. A chunk encoded by stale metadata would be garbage to other
// readers.
func (a *Array) confirm(ctx context.Context) error {
	if a.at.From == hierarchy.FromStore || a.shared.copies.Confirmed.Load() {
		return nil
	}
	_, _, err := a.shared.copies.Confirms.Do(ctx, "", func(ctx context.Context) (struct{}, error) {
		if a.shared.copies.Confirmed.Load() {
			return struct{}{}, nil
		}
		err := a.at.Confirm(ctx, a.at.Array())
		a.shared.copies.Confirmed.Store(err == nil)
		return struct{}{}, err
	})
	return err
}
