package zarr

import (
	"context"
	"errors"
	"maps"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// SetAttrs replaces all attributes of the array, and returns it with them. Its other metadata stays
// byte for byte as it is. ErrConflict when the document was changed since a was opened; then open
// again and decide again. A store without versions refuses with errors.ErrUnsupported, unless
// SingleWriter was given; one that takes no writes with ErrReadOnly.
//
// Consolidated metadata above the array, if any, keeps the old attributes until
// [Group.Consolidate], or UpdateAbove of package upkeep.
func (a *Array) SetAttrs(ctx context.Context, attrs map[string]any) (*Array, error) {
	n, err := a.withAttrs(ctx, attrs, a.shared.copied)
	if err != nil {
		return nil, err
	}
	m := *a.meta
	m.Attrs = n.attrs
	return a.changed(n, &m), nil
}

// SetAttrs replaces all attributes of the group, and returns it with them, as [Array.SetAttrs]
// does.
func (g *Group) SetAttrs(ctx context.Context, attrs map[string]any) (*Group, error) {
	n, err := g.withAttrs(ctx, attrs, nil)
	if err != nil {
		return nil, err
	}
	b := *g
	b.node = n
	return &b, nil
}

// withAttrs is SetAttrs of a node; as is the metadata of an array, as it was read.
func (n node) withAttrs(ctx context.Context, attrs map[string]any, as *meta.Array) (node, error) {
	if err := n.writable(); err != nil {
		return n, n.errf(err)
	}
	if n.from != fromStore {
		if err := n.reload(ctx, as); err != nil {
			return n, n.errf(err)
		}
	}
	if err := n.attrsDoc.Refused; err != nil && n.cfg.singleWriter {
		return n, n.errf(err) // without a condition, attributes that are there would be lost
	}
	attrs = maps.Clone(attrs)
	if attrs == nil {
		attrs = map[string]any{}
	}
	var doc []byte
	var err error
	if n.format == 2 {
		doc, err = meta.EncodeAttrs(attrs)
	} else {
		doc, err = meta.SetAttrs(n.attrsDoc.Key, n.attrsDoc.Bytes, attrs)
	}
	if err == nil {
		doc, err = document.KeepClaim(n.attrsDoc, n.attrsDoc.Key, doc)
	}
	if err != nil {
		return n, n.errf(err)
	}
	v, err := n.docs().Swap(ctx, n.attrsDoc, doc, "attributes cannot be changed")
	if errors.Is(err, fault.Exists) {
		err = fault.Newf(fault.Conflict, "attributes were written since: %w", err)
	}
	if err != nil {
		return n, n.errf(err)
	}
	n.attrs, n.attrsDoc = attrs, document.Stored{Key: n.attrsDoc.Key, Bytes: doc, Version: v}
	return n, nil
}

// reload reads the documents of a node that were not read when it was opened, and makes sure that
// they say what those said, of an array also as what it is.
func (n *node) reload(ctx context.Context, as *meta.Array) error {
	fresh, err := openStored(ctx, n.st, n.path, n.cfg.stored(), document.Any)
	if errors.Is(err, fault.NotFound) {
		err = fault.Newf(fault.NotFound, "only %s has this node, so nothing is written: %w", n.from, err)
	}
	if err != nil {
		return err
	}
	f := base(fresh)
	if f.format != n.format || !meta.SameAttrs(f.attrs, n.attrs) {
		return fault.Newf(fault.Conflict, "%s is stale", n.from)
	}
	a, isArray := fresh.(*Array)
	if isArray != (as != nil) {
		return fault.Newf(fault.Conflict, "%s is stale: array or group, it is the other by now", n.from)
	}
	if isArray {
		if diff := a.shared.copied.Difference(as); diff != "" {
			return fault.Newf(fault.Conflict, "%s is stale: the array has another %s by now", n.from, diff)
		}
	}
	cfg := n.cfg
	*n = *f
	n.cfg = cfg
	return nil
}
