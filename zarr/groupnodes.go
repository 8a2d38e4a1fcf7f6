package zarr

import (
	"context"

	"github.com/zargo-io/zargo/internal/document"
)

// Open opens the node at a path below the group: from the group's consolidated metadata, without a
// request, where that has it, else from the store, as the function [Open] does. Consolidated
// metadata is a copy: a node that was changed or deleted since is opened as the copy has it, and
// one that was created since is found in the store. [IgnoreConsolidated] asks the store alone.
//
// The copy of a v2 group is a document of its own, which is read when it is first needed and kept
// with the group.
//
// What is not stored as the copy says is not written: the first write to an array that was opened
// from a copy reads the array's own metadata, and is ErrConflict where that differs, or ErrNotFound
// where only the copy has the array.
func (g *Group) Open(ctx context.Context, path string) (Node, error) {
	return g.open(ctx, path, document.Any)
}

// OpenArray opens the array at a path below the group, as Open does.
func (g *Group) OpenArray(ctx context.Context, path string) (*Array, error) {
	n, err := g.open(ctx, path, document.Array)
	if err != nil {
		return nil, err
	}
	return n.(*Array), nil
}

// OpenGroup opens the group at a path below the group, as Open does.
func (g *Group) OpenGroup(ctx context.Context, path string) (*Group, error) {
	n, err := g.open(ctx, path, document.Group)
	if err != nil {
		return nil, err
	}
	return n.(*Group), nil
}

func (g *Group) open(ctx context.Context, path string, w document.Kind) (Node, error) {
	found, err := g.at.OpenBelow(ctx, path, w)
	if err != nil {
		return nil, err
	}
	return made(found, g.cfg), nil
}

// CreateArray creates an array below the group, in the group's format unless the spec names one.
func (g *Group) CreateArray(ctx context.Context, path string, spec Spec) (*Array, error) {
	at, err := g.at.Child(path)
	if err != nil {
		return nil, err
	}
	if spec.Format == 0 {
		spec.Format = g.Format()
	}
	if at, err = at.CreateArray(ctx, spec.arrays()); err != nil {
		return nil, err
	}
	return made(at, g.cfg).(*Array), nil
}

// CreateGroup creates a group below the group, in its format.
func (g *Group) CreateGroup(ctx context.Context, path string, attrs map[string]any) (*Group, error) {
	at, err := g.at.Child(path)
	if err != nil {
		return nil, err
	}
	if at, err = at.CreateGroup(ctx, g.Format(), attrs); err != nil {
		return nil, err
	}
	return made(at, g.cfg).(*Group), nil
}
