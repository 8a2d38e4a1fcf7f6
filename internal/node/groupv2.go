package node

import (
	"context"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/meta"
)

// openGroupV2 opens a group that must be of v2. It reads .zmetadata concurrently with .zgroup and
// .zattrs, since most groups have .zmetadata, and its members are opened next. If .zgroup cannot be
// read, .zmetadata proves that the group exists. The attributes are those of .zattrs, since they
// may have been set after .zmetadata was written, or those in .zmetadata if .zattrs is refused.
func (n *Node) openGroupV2(ctx context.Context) (*Node, error) {
	var docs Set
	var c *copied
	err := concurrency.EachN(ctx, 2, 2, func(ctx context.Context, i int) (err error) {
		if i == 0 {
			docs, err = n.Read(ctx, ZGroup, ZAttrs)
		} else {
			c, err = n.readCopy(ctx)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	refused := docs.Refused[ZAttrs] != nil
	if _, ok := c.nodes.Node("").(*meta.Group); ok && (refused || !docs.Has(ZGroup)) {
		b := *n
		b.From = FromCopy
		return b.ofOwnCopy(c, docs, !refused)
	}
	if docs, err = n.FindRest(ctx, docs); err != nil {
		return nil, err
	}
	found, err := n.Parse(docs)
	if err == nil && found != nil && found.lazy != nil {
		found.lazy.known.Store(c)
	}
	return found, err
}

// ofOwnCopy returns a v2 group from its own .zmetadata, or nil if .zmetadata does not contain the
// group. If docs contain .zattrs, the attributes are those of .zattrs. Otherwise, if absent is
// true, .zattrs is known to be absent, and the group has no attributes. In all other cases the
// attributes are those in .zmetadata.
func (n *Node) ofOwnCopy(c *copied, docs Set, absent bool) (*Node, error) {
	m, ok := c.nodes.Node("").(*meta.Group)
	if !ok {
		return nil, nil
	}
	b := *n
	b.Doc = Stored{Key: c.key}
	if docs.Has(ZAttrs) || absent {
		b.AttrsDoc = n.Stored(docs, ZAttrs)
		own := *m
		var err error
		if own.Attrs, err = n.Parser().AttrsV2(b.AttrsDoc.Key, b.AttrsDoc.Bytes); err != nil {
			return nil, err
		}
		m = &own
	}
	found, err := b.bind(m)
	if err == nil {
		found.lazy.known.Store(c)
	}
	return found, err
}
