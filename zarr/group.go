package zarr

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// Group is a group as its metadata was when it was opened. It is immutable and safe for any number of goroutines.
type Group struct {
	node
	meta *meta.Group
	lazy *lazyCopy // of a v2 group
}

// String gives the path and what the group is, for people.
func (g *Group) String() string { return fmt.Sprintf("%q group v%d", g.path, g.format) }

// Metadata is the parsed metadata document, with a v3 group's consolidated metadata. It is shared: do not change it.
func (g *Group) Metadata() *meta.Group { return g.meta }

// Source is what package upkeep knows of the group's documents; its type is internal to this module.
func (g *Group) Source() *document.Source {
	m := *g.meta
	m.Attrs = g.attrs
	return g.source(&m)
}

// With returns a view of the same group with other options.
func (g *Group) With(opts ...Option) (*Group, error) {
	b := *g
	if err := b.cfg.add(opts); err != nil {
		return nil, err
	}
	if b.cfg.types != g.cfg.types || b.cfg.strict != g.cfg.strict || b.cfg.maxMetadata != g.cfg.maxMetadata || b.cfg.tell != nil || g.cfg.tell != nil {
		b.lazy = &lazyCopy{} // which is parsed by these
	}
	return &b, nil
}

// Open opens the node at a path below the group: from the group's consolidated metadata, without a request, where that has it,
// else from the store, as the function [Open] does. Consolidated metadata is a copy: a node that was changed or deleted since is
// opened as the copy has it, and one that was created since is found in the store. [IgnoreConsolidated] asks the store alone.
//
// The copy of a v2 group is a document of its own, which is read when it is first needed and kept with the group.
//
// What is not stored as the copy says is not written: the first write to an array that was opened from a copy reads the array's
// own metadata, and is ErrConflict where that differs, or ErrNotFound where only the copy has the array.
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
	n, err := g.child(path)
	if err != nil {
		return nil, err
	}
	found, bad, err := g.listed(ctx, below(g.path, n.path), w)
	if err != nil || found != nil {
		return found, err
	}
	found, err = open(ctx, n.st, n.path, n.cfg, w)
	if bad != nil && errors.Is(err, fault.NotFound) {
		return nil, bad
	}
	return found, err
}

// child is a node at a path below the group, with the group's options.
func (g *Group) child(path string) (node, error) {
	p, err := meta.NormalizePath(path)
	if err != nil {
		return node{}, g.errf(err)
	}
	return node{st: g.st, path: join(g.path, p), cfg: g.cfg}, nil
}

// CreateArray creates an array below the group, in the group's format unless the spec names one.
func (g *Group) CreateArray(ctx context.Context, path string, spec Spec) (*Array, error) {
	n, err := g.child(path)
	if err != nil {
		return nil, err
	}
	if spec.Format == 0 {
		spec.Format = g.format
	}
	return create(ctx, n, spec, n.docs().Free)
}

// CreateGroup creates a group below the group, in its format.
func (g *Group) CreateGroup(ctx context.Context, path string, attrs map[string]any) (*Group, error) {
	n, err := g.child(path)
	if err != nil {
		return nil, err
	}
	return createGroup(ctx, n, Spec{Format: g.format, Attrs: attrs})
}

// CreateGroup creates a group at path, and the groups above it that are missing, up to the store's root. ErrExists when a
// node is there, be it a v1 array. Of the spec Format and Attrs are used; what only arrays have is ErrMetadata.
func CreateGroup(ctx context.Context, st store.Store, path string, spec Spec, opts ...Option) (*Group, error) {
	n, err := newNode(st, path, opts)
	if err != nil {
		return nil, err
	}
	return createGroup(ctx, n, spec)
}

func createGroup(ctx context.Context, n node, spec Spec) (*Group, error) {
	if rest := (Spec{Format: spec.Format, Attrs: spec.Attrs}); !reflect.DeepEqual(spec, rest) {
		return nil, n.errf(fault.Newf(fault.Metadata, "a group has a Format and Attrs, nothing else of a Spec"))
	}
	if spec.Format == 0 {
		spec.Format = 3
	}
	m := &meta.Group{Format: spec.Format, Attrs: spec.Attrs}
	docs, err := document.OfGroup(m)
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
