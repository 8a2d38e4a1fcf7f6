package zarr

import (
	"context"

	"github.com/zargo-io/zargo/internal/node"
)

// Open opens the node at a path relative to the group. If the group's consolidated metadata
// contains the node, Open sends no request. Otherwise it opens the node from the store, as the
// function [Open] does. With [IgnoreConsolidated], nodes are always opened from the store.
//
// Consolidated metadata is a copy. Nodes that were changed or deleted later are opened as the copy
// describes them. Nodes that were created later are opened from the store. The copy of a v2 group
// is a separate document, which is read when it is first needed and then kept with the group.
//
// A read of an array opened from a copy uses the copy for stored chunks. The first read that meets
// an absent chunk also reads the array's stored metadata, once for all views of the array. It
// returns ErrNotFound if there is none. It returns ErrConflict if the stored array has other
// chunks, codecs or chunk keys, another data type or fill value, or a smaller shape.
// [Array.Refresh] opens the stored array.
//
// A write never relies on the copy alone. The first write to an array opened from a copy reads the
// array's stored metadata. It returns ErrConflict if the stored metadata differs from the copy, and
// ErrNotFound if there is none.
func (g *Group) Open(ctx context.Context, path string) (Node, error) {
	return g.open(ctx, path, node.Any)
}

// OpenArray opens the array at a path relative to the group, as [Group.Open] does.
func (g *Group) OpenArray(ctx context.Context, path string) (*Array, error) {
	n, err := g.open(ctx, path, node.Array)
	if err != nil {
		return nil, err
	}
	return n.(*Array), nil
}

// OpenGroup opens the group at a path relative to the group, as [Group.Open] does.
func (g *Group) OpenGroup(ctx context.Context, path string) (*Group, error) {
	n, err := g.open(ctx, path, node.Group)
	if err != nil {
		return nil, err
	}
	return n.(*Group), nil
}

func (g *Group) open(ctx context.Context, path string, w node.Kind) (Node, error) {
	found, err := g.at.OpenBelow(ctx, path, w)
	if err != nil {
		return nil, err
	}
	return newNode(found, g.cfg), nil
}

// CreateArray creates an array at a path relative to g, as [Create] does. The array has the format
// of g unless spec sets one.
func (g *Group) CreateArray(ctx context.Context, path string, spec Spec) (*Array, error) {
	at, err := g.at.Member(path)
	if err != nil {
		return nil, err
	}
	if spec.Format == 0 {
		spec.Format = g.Format()
	}
	if at, err = at.CreateArray(ctx, spec.arrays()); err != nil {
		return nil, err
	}
	return newNode(at, g.cfg).(*Array), nil
}

// CreateGroup creates a group with attributes at a path relative to g. The new group has the
// format of g. Errors are as for the function [CreateGroup].
func (g *Group) CreateGroup(ctx context.Context, path string, attrs map[string]any) (*Group, error) {
	at, err := g.at.Member(path)
	if err != nil {
		return nil, err
	}
	if at, err = at.CreateGroup(ctx, g.Format(), attrs); err != nil {
		return nil, err
	}
	return newNode(at, g.cfg).(*Group), nil
}
