package zarr

import (
	"context"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/store"
)

// Replace creates an array at path in the place of the array that is there, if any, whose metadata
// and chunks are deleted. Keys below path that belong to no array are left alone. A group there is
// ErrExists: replacing it would delete what hangs below it.
//
// The old metadata goes first, on condition that it is what Replace read, so that no reader ever
// sees new metadata over old chunks; then the chunks; then the new array is created. A process
// killed in between leaves no array, and Replace can be called again. Use it only where no one else
// reads or writes the array: an *Array opened before sees its chunks vanish, and reads them as the
// fill value.
func Replace(ctx context.Context, st store.Store, path string, spec Spec, opts ...Option) (*Array, error) {
	n, err := newNode(st, path, opts)
	if err != nil {
		return nil, err
	}
	if _, err := spec.model(n.cfg); err != nil {
		return nil, n.errf(err) // before anything is deleted
	}
	err = n.docs().Remove(ctx, func(v1 document.Set) error {
		old := n
		_, err := old.parse(v1) // what cannot be read is not deleted
		return err
	})
	if err != nil {
		return nil, n.errf(err)
	}
	return create(ctx, n, spec, nil)
}
