package zarr

import (
	"context"
	"reflect"

	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/internal/node/spec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Create creates an array at path, and the missing groups above it up to the store's root. It
// never overwrites metadata.
//
// Create returns ErrExists if a node exists at path. It also returns ErrExists if a stored key
// would be read as a chunk of the new array, such as a chunk that remains of a deleted array;
// [Replace] deletes such keys. Create looks for such keys in one listing of at most 1000 entries.
// It skips this check if the store cannot list or refuses to list.
//
// Consolidated metadata of the groups above lacks the new array until it is updated by
// [Group.Consolidate], or by UpdateParents of package upkeep.
func Create(ctx context.Context, st store.Store, path string, spec Spec, opts ...Option) (*Array, error) {
	return create(ctx, st, path, spec, opts, (*node.Node).CreateArray)
}

// OpenOrCreate opens the array at path, or creates it if it does not exist. It returns ErrConflict
// if the existing array differs from spec in anything but attributes.
func OpenOrCreate(ctx context.Context, st store.Store, path string, spec Spec, opts ...Option) (*Array, error) {
	return create(ctx, st, path, spec, opts, (*node.Node).OpenOrCreateArray)
}

// Replace deletes the array at path, if there is one, and creates a new one. It deletes the
// metadata and the chunks of the old array, and keeps keys below path that do not belong to an
// array. It returns ErrExists if a group is at path, because replacing a group would delete the
// nodes below it.
//
// Replace first deletes the old metadata, on condition that it did not change since Replace read
// it. Then it deletes the chunks, and finally it creates the new array, so that no reader sees new
// metadata with old chunks. If the process is killed in between, the array does not exist, and
// Replace can be called again.
//
// Call Replace only while no other process reads or writes the array. If an *Array was opened
// before the call, it reads the deleted chunks as the fill value.
func Replace(ctx context.Context, st store.Store, path string, spec Spec, opts ...Option) (*Array, error) {
	return create(ctx, st, path, spec, opts, (*node.Node).Replace)
}

func create(ctx context.Context, st store.Store, path string, spec Spec, opts []Option,
	how func(*node.Node, context.Context, spec.Spec) (*node.Node, error)) (*Array, error) {
	at, cfg, err := place(st, path, opts)
	if err != nil {
		return nil, err
	}
	if at, err = how(at, ctx, spec.arrays()); err != nil {
		return nil, err
	}
	return newNode(at, cfg).(*Array), nil
}

// CreateGroup creates a group at path, and the missing groups above it up to the store's root. Only
// Format and Attrs of spec may be set (ErrMetadata otherwise). CreateGroup returns ErrExists if a
// node of any format exists at path.
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
	return newNode(at, cfg).(*Group), nil
}

// ofGroup returns ErrMetadata if s sets a field that groups lack. It sets the default Format.
func (s *Spec) ofGroup() error {
	if rest := (Spec{Format: s.Format, Attrs: s.Attrs}); !reflect.DeepEqual(*s, rest) {
		return fault.Newf(fault.Metadata, "the Spec of a group may set only Format and Attrs")
	}
	if s.Format == 0 {
		s.Format = 3
	}
	return nil
}
