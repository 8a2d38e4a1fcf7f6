package zarr

import (
	"context"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// OpenArray opens the array at path, "" being the store's root. Its format is found out in one round trip, or two if it is
// Zarr v1, which is read and not written. ErrNotFound
// when there is no array; ErrRefused when the store refuses all that could say so.
func OpenArray(ctx context.Context, st store.Store, path string, opts ...Option) (*Array, error) {
	n, err := openWith(ctx, st, path, opts, document.Array)
	if err != nil {
		return nil, err
	}
	return n.(*Array), nil
}

// OpenGroup opens the group at path, "" being the store's root. Errors are as for OpenArray.
func OpenGroup(ctx context.Context, st store.Store, path string, opts ...Option) (*Group, error) {
	n, err := openWith(ctx, st, path, opts, document.Group)
	if err != nil {
		return nil, err
	}
	return n.(*Group), nil
}

// Open opens whatever is at path. Errors are as for OpenArray. Where v2 and v3 metadata are both there, v3 wins.
func Open(ctx context.Context, st store.Store, path string, opts ...Option) (Node, error) {
	return openWith(ctx, st, path, opts, document.Any)
}

func openWith(ctx context.Context, st store.Store, path string, opts []Option, w document.Kind) (Node, error) {
	n, err := newNode(st, path, opts)
	if err != nil {
		return nil, err
	}
	return open(ctx, st, n.path, n.cfg, w)
}

// newNode checks what every function that takes a path and options is given.
func newNode(st store.Store, path string, opts []Option) (node, error) {
	cfg, err := newConfig(opts)
	if err != nil {
		return node{}, err
	}
	path, err = meta.NormalizePath(path)
	if err != nil {
		return node{}, fmt.Errorf("zarr: %w", err)
	}
	return node{st: st, path: path, cfg: cfg}, nil
}

// open finds the node at a normalised path.
func open(ctx context.Context, st store.Store, path string, cfg config, w document.Kind) (Node, error) {
	n := node{st: st, path: path, cfg: cfg}
	docs, err := n.docs().Find(ctx, w)
	if err != nil {
		return nil, n.errf(err)
	}
	found, err := n.parse(docs)
	if err == nil && found == nil && cfg.format <= 1 && w != document.Group {
		if docs, err = n.docs().FindV1(ctx); err == nil {
			found, err = n.parse(docs)
		}
	}
	if err != nil {
		return nil, n.errf(err)
	}
	if found == nil {
		return nil, n.errf(fault.Newf(fault.NotFound, "no %v here", w))
	}
	switch found.(type) {
	case *Group:
		if w == document.Array {
			return nil, n.errf(fault.Newf(fault.NotFound, "this is a group, not an array"))
		}
	case *Array:
		if w == document.Group {
			return nil, n.errf(fault.Newf(fault.NotFound, "this is an array, not a group"))
		}
	}
	return found, nil
}

// parse makes a node of its documents; nil when they do not make one.
func (n *node) parse(docs document.Set) (Node, error) {
	s, err := n.docs().Parse(docs, n.parser())
	if err != nil || s == nil {
		return nil, err
	}
	n.doc, n.attrsDoc = s.Doc, s.Attrs
	return n.bind(s.Model)
}

// bind makes a node of parsed metadata.
func (n *node) bind(m meta.Node) (Node, error) {
	switch m := m.(type) {
	case *meta.Array:
		n.format, n.attrs = m.Format, m.Attrs
		return newArray(*n, m)
	case *meta.Group:
		n.format, n.attrs = m.Format, m.Attrs
		return &Group{node: *n, meta: m, lazy: &lazyCopy{}}, nil
	case *meta.Bad:
		return nil, m.Err
	}
	return nil, fault.Newf(errors.ErrUnsupported, "node of type %T", m)
}
