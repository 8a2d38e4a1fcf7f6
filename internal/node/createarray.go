package node

import (
	"context"
	"errors"
	"slices"

	"github.com/zargo-io/zargo/internal/node/spec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// CreateArray creates an array. It returns fault.Exists if a node or objects are stored at the
// path.
func (n *Node) CreateArray(ctx context.Context, spec spec.Spec) (*Node, error) {
	return n.create(ctx, spec, n.Free)
}

// create creates an array. The function free checks that the location of the array is unused. If
// free is nil, the location is not checked.
func (n *Node) create(ctx context.Context, spec spec.Spec, free func(context.Context, *meta.Array) error) (*Node, error) {
	m, err := spec.Model(n.Cfg.Specs())
	if err != nil {
		return nil, n.Errorf(err)
	}
	docs, err := OfArray(m)
	if err != nil {
		return nil, n.Errorf(err)
	}
	// All properties, including codecs, are checked before the first byte is stored.
	if _, err := n.Parse(docs.Set()); err != nil {
		return nil, n.Errorf(err)
	}
	err = n.Create(ctx, m.Format, docs, func(ctx context.Context) error {
		if free == nil {
			return nil
		}
		return free(ctx, m)
	})
	if err != nil {
		return nil, n.Errorf(err)
	}
	a, err := n.Parse(docs.Set())
	if err != nil {
		return nil, n.Errorf(err)
	}
	return a, nil
}

// Replace deletes the array at the node, if one exists, and creates another in its place.
func (n *Node) Replace(ctx context.Context, spec spec.Spec) (*Node, error) {
	if _, err := spec.Model(n.Cfg.Specs()); err != nil {
		return nil, n.Errorf(err) // before anything is deleted
	}
	err := n.Remove(ctx, func(v1 Set) error {
		_, err := n.Parse(v1) // an array that cannot be read must not be deleted
		return err
	})
	if err != nil {
		return nil, n.Errorf(err)
	}
	return n.create(ctx, spec, nil)
}

// OpenOrCreateArray creates an array or opens the existing one. It returns fault.Conflict if the
// existing array differs from the spec in more than attributes.
func (n *Node) OpenOrCreateArray(ctx context.Context, spec spec.Spec) (*Node, error) {
	a, err := n.CreateArray(ctx, spec)
	if !errors.Is(err, fault.Exists) {
		return a, err
	}
	exists := err
	a, err = n.Open(ctx, Array)
	if errors.Is(err, fault.NotFound) {
		err = exists // something other than an array exists
	}
	if err != nil {
		return nil, err
	}
	want, err := spec.Model(n.Cfg.Specs())
	if err != nil {
		return nil, n.Errorf(err)
	}
	if diff := a.Keyed.Difference(want); diff != "" {
		return nil, n.Errorf(fault.Newf(fault.Conflict, "an array with another %s exists at this path", diff))
	}
	return a, nil
}

// agrees compares the metadata of an existing array with spec and returns fault.Exists if they
// differ. A length of 0 in the shape of spec matches any length.
func (n *Node) agrees(m *meta.Array, spec spec.Spec) error {
	for i, length := range spec.Shape {
		if length == 0 && i < len(m.Shape) && len(m.Shape) == len(spec.Shape) {
			spec.Shape = slices.Clone(spec.Shape)
			spec.Shape[i] = m.Shape[i]
		}
	}
	want, err := spec.Model(n.Cfg.Specs())
	if err != nil {
		return n.Errorf(err)
	}
	if diff := m.Difference(want); diff != "" {
		return n.Errorf(fault.Newf(fault.Exists, "an array with another %s exists at this path", diff))
	}
	return nil
}

// openOrCreate creates an array unless one exists that agrees with spec. It completes an array
// whose creator was killed.
func (n *Node) openOrCreate(ctx context.Context, spec spec.Spec) error {
	_, exists := n.CreateArray(ctx, spec)
	if !errors.Is(exists, fault.Exists) {
		return exists
	}
	a, err := n.OpenStored(ctx, Array)
	if errors.Is(err, fault.NotFound) {
		return exists // something other than an array exists
	}
	if err != nil {
		return err
	}
	if err := n.agrees(a.Keyed, spec); err != nil {
		return err
	}
	m, err := spec.Model(n.Cfg.Specs())
	if err != nil {
		return n.Errorf(err)
	}
	docs, err := OfArray(m)
	if err == nil {
		_, err = a.Complete(ctx, docs)
	}
	if err != nil {
		return n.Errorf(err)
	}
	return nil
}
