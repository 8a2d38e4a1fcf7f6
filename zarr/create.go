package zarr

import (
	"context"
	"errors"
	"reflect"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
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
	n, err := newNode(st, path, opts)
	if err != nil {
		return nil, err
	}
	return create(ctx, n, spec, n.docs().Free)
}

// OpenOrCreate opens the array at path, or creates it when there is none. ErrConflict when what is
// there differs from the spec in anything but attributes.
func OpenOrCreate(ctx context.Context, st store.Store, path string, spec Spec, opts ...Option) (*Array, error) {
	a, err := Create(ctx, st, path, spec, opts...)
	if !errors.Is(err, fault.Exists) {
		return a, err
	}
	exists := err
	a, err = OpenArray(ctx, st, path, opts...)
	if errors.Is(err, fault.NotFound) {
		err = exists // what is there is something else
	}
	if err != nil {
		return nil, err
	}
	want, err := spec.model(a.cfg)
	if err != nil {
		return nil, a.errf(err)
	}
	if diff := a.meta.Difference(want); diff != "" {
		return nil, a.errf(fault.Newf(fault.Conflict, "the array there has another %s", diff))
	}
	return a, nil
}

// create creates an array at a place that free, unless it is nil, finds to be free.
func create(ctx context.Context, n node, spec Spec, free func(context.Context, *meta.Array) error) (*Array, error) {
	m, err := spec.model(n.cfg)
	if err != nil {
		return nil, n.errf(err)
	}
	docs, err := document.OfArray(m)
	if err != nil {
		return nil, n.errf(err)
	}
	// Everything is checked, codecs included, before the first byte is stored.
	trial := n
	if _, err := trial.parse(docs.Set()); err != nil {
		return nil, n.errf(err)
	}
	err = n.docs().Create(ctx, m.Format, docs, func(ctx context.Context) error {
		if free == nil {
			return nil
		}
		return free(ctx, m)
	})
	if err != nil {
		return nil, n.errf(err)
	}
	a, err := n.parse(docs.Set())
	if err != nil {
		return nil, n.errf(err)
	}
	return a.(*Array), nil
}

// CreateGroup creates a group at path, and the groups above it that are missing, up to the store's
// root. ErrExists when a node is there, be it a v1 array. Of the spec Format and Attrs are used;
// what only arrays have is ErrMetadata.
func CreateGroup(ctx context.Context, st store.Store, path string, spec Spec, opts ...Option) (*Group, error) {
	n, err := newNode(st, path, opts)
	if err != nil {
		return nil, err
	}
	return createGroup(ctx, n, spec)
}

func createGroup(ctx context.Context, n node, spec Spec) (*Group, error) {
	docs, err := groupDocs(&spec)
	if err != nil {
		return nil, n.errf(err)
	}
	if err := n.docs().Create(ctx, spec.Format, docs, n.docs().NoV1); err != nil {
		return nil, n.errf(err)
	}
	g, err := n.parse(docs.Set())
	if err != nil {
		return nil, n.errf(err)
	}
	return g.(*Group), nil
}

// groupDocs are the documents of a new group. A Format of 0 becomes 3.
func groupDocs(spec *Spec) (document.Docs, error) {
	if rest := (Spec{Format: spec.Format, Attrs: spec.Attrs}); !reflect.DeepEqual(*spec, rest) {
		return nil, fault.Newf(fault.Metadata, "a group has a Format and Attrs, nothing else of a Spec")
	}
	if spec.Format == 0 {
		spec.Format = 3
	}
	return document.OfGroup(&meta.Group{Format: spec.Format, Attrs: spec.Attrs})
}
