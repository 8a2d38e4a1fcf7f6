package node

import (
	"context"
	"errors"
	"maps"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// SetAttrs replaces all attributes of an opened node, and returns the node with the new attributes.
func (n *Node) SetAttrs(ctx context.Context, attrs map[string]any) (*Node, error) {
	if err := n.Writable(); err != nil {
		return nil, n.Errorf(err)
	}
	b := *n
	if n.From != FromStore {
		fresh, err := n.Reload(ctx)
		if err != nil {
			return nil, n.Errorf(err)
		}
		b = *fresh
	}
	if err := b.AttrsDoc.Refused; err != nil && b.Cfg.SingleWriter {
		return nil, n.Errorf(err) // an unconditional put could lose stored attributes
	}
	attrs = maps.Clone(attrs)
	if attrs == nil {
		attrs = map[string]any{}
	}
	doc, err := b.attrsDoc(attrs)
	if err != nil {
		return nil, n.Errorf(err)
	}
	if b.Format == 2 {
		err = b.Migrated(ctx, b.AttrsDoc)
	}
	if err == nil && (b.Format == 2 && !b.AttrsDoc.There() || b.Cfg.SingleWriter) {
		// The condition of the put does not detect that the node was removed.
		err = b.Remains(ctx, b.Doc)
	}
	if err != nil {
		return nil, n.Errorf(err)
	}
	v, err := b.Swap(ctx, b.AttrsDoc, doc, "attributes cannot be changed")
	for errors.Is(err, fault.Conflict) {
		// An append in progress renews its claim, which is stored beside the attributes.
		is, renewed := b.Renewed(ctx, b.AttrsDoc)
		if !renewed {
			break
		}
		b.AttrsDoc = is
		if doc, err = b.attrsDoc(attrs); err == nil {
			v, err = b.Swap(ctx, b.AttrsDoc, doc, "attributes cannot be changed")
		}
	}
	switch {
	case errors.Is(err, fault.Exists):
		err = fault.Newf(fault.Conflict, "the attributes were changed concurrently: %w", err)
	case err == nil && b.Format == 2:
		// The node may have been removed or migrated between the look and the put.
		err = b.Orphaned(ctx, b.Doc, b.AttrsDoc, Stored{Key: b.AttrsDoc.Key, Bytes: doc, Version: v})
	}
	if err != nil {
		return nil, n.Errorf(err)
	}
	shared := b.Doc.Key == b.AttrsDoc.Key // always true in v3
	b.Model, b.AttrsDoc = withAttrs(b.Model, attrs), Stored{Key: b.AttrsDoc.Key, Bytes: doc, Version: v}
	if shared {
		b.Doc = b.AttrsDoc
	}
	return &b, nil
}

// attrsDoc returns the document of the attributes with other attributes, and with its claim.
func (n *Node) attrsDoc(attrs map[string]any) (doc []byte, err error) {
	if n.Format == 2 {
		doc, err = meta.EncodeAttrs(attrs)
	} else {
		doc, err = meta.SetAttrs(n.AttrsDoc.Key, n.AttrsDoc.Bytes, attrs)
	}
	if err != nil {
		return nil, err
	}
	return KeepClaim(n.AttrsDoc, n.AttrsDoc.Key, doc)
}

// Reload reads the node from the store. Callers use Reload for a node that was opened from
// documents outside the store. The stored node must have the same attributes and, for an array,
// equal metadata. Otherwise Reload returns fault.Conflict. If the store does not have the node,
// Reload returns fault.NotFound.
func (n *Node) Reload(ctx context.Context) (*Node, error) {
	fresh, err := n.again().OpenStored(ctx, Any)
	if errors.Is(err, fault.NotFound) {
		err = fault.Newf(fault.NotFound, "the node is only in %s, so it cannot be written: %w", n.From, err)
	}
	if err != nil {
		return nil, err
	}
	if fresh.Format != n.Format || !meta.SameAttrs(fresh.Attrs(), n.Attrs()) {
		return nil, fault.Newf(fault.Conflict, "%s is stale", n.From)
	}
	as, is := n.Array(), fresh.Array()
	if (is != nil) != (as != nil) {
		return nil, fault.Newf(fault.Conflict, "%s is stale: the node has changed between array and group", n.From)
	}
	if is != nil {
		if diff := is.Difference(as); diff != "" {
			return nil, fault.Newf(fault.Conflict, "%s is stale: the array was changed to another %s", n.From, diff)
		}
	}
	fresh.Cfg = n.Cfg
	return fresh, nil
}
