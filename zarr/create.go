package zarr

import (
	"context"
	"reflect"

	"github.com/zargo-io/zargo/internal/arrayspec"
	"github.com/zargo-io/zargo/internal/hierarchy"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Create creates an array at path, and the groups above it that are missing, up to the store's
// root. ErrExists when a node is there; nothing is ever overwritten. ErrExists too when something
// is there that would be read as a chunk of the new array, such as what an array left behind whose
// metadata alone was deleted; [Replace] deletes that. One listing tells, of its first 1000 entries;
// where the store cannot list, or refuses to, nobody does.
//
// Consolidated metadata above, if any, does not have the new array until [Group.Consolidate], or
// UpdateAbove of package upkeep.
func Create(ctx context.Context, st store.Store, path string, spec Spec, opts ...Option) (*Array, error) {
	return create(ctx, st, path, spec, opts, (*hierarchy.Node).CreateArray)
}

// OpenOrCreate opens the array at path, or creates it when there is none. ErrConflict when what is
// there differs from the spec in anything but attributes.
func OpenOrCreate(ctx context.Context, st store.Store, path string, spec Spec, opts ...Option) (*Array, error) {
	return create(ctx, st, path, spec, opts, (*hierarchy.Node).OpenOrCreateArray)
}

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
	return create(ctx, st, path, spec, opts, (*hierarchy.Node).Replace)
}

func create(ctx context.Context, st store.Store, path string, spec Spec, opts []Option,
	how func(*hierarchy.Node, context.Context, arrayspec.Spec) (*hierarchy.Node, error)) (*Array, error) {
	at, cfg, err := place(st, path, opts)
	if err != nil {
		return nil, err
	}
	if at, err = how(at, ctx, spec.arrays()); err != nil {
		return nil, err
	}
	return made(at, cfg).(*Array), nil
}

// CreateGroup creates a group at path, and the groups above it that are missing, up to the store's
// root. ErrExists when a node is there, be it a v1 array. Of the spec Format and Attrs are used;
// what only arrays have is ErrMetadata.
func CreateGroup(ctx context.Context, st store.Store, path string, spec Spec, opts ...Option) (*Group, error) {
	at, cfg, err := place(st, path, opts)
	if err != nil {
		return nil, err
	}
	if err := spec.ofGroup(); err != nil {
		return nil, at.Errorf(err)
	}
	if at, err = at.CreateGroup(ctx, spec.Format, spec.Attrs); err != nil {
		return nil, err
	}
	return made(at, cfg).(*Group), nil
}

// ofGroup refuses fields that a group does not have. A Format of 0 becomes 3.
func (s *Spec) ofGroup() error {
	if rest := (Spec{Format: s.Format, Attrs: s.Attrs}); !reflect.DeepEqual(*s, rest) {
		return fault.Newf(fault.Metadata, "a group has a Format and Attrs, nothing else of a Spec")
	}
	if s.Format == 0 {
		s.Format = 3
	}
	return nil
}
