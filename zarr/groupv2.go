package zarr

import (
	"context"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/meta"
)

// openGroupV2 opens a group that is of v2 if it is there, and reads its consolidated metadata at
// once, which nearly all have: where that has the group itself, .zgroup is not read. Attributes are
// read in any case, since they may have been set after the copy was made.
func (n *node) openGroupV2(ctx context.Context) (Node, error) {
	var docs document.Set
	var c *copied
	err := concurrency.EachN(ctx, 2, 2, func(ctx context.Context, i int) (err error) {
		if i == 0 {
			docs, err = n.docs().Read(ctx, document.ZAttrs)
		} else {
			c, err = n.readCopy(ctx)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if _, ok := c.nodes[""].(*meta.Group); ok {
		n.from = fromCopy
		return n.ofOwnCopy(c, docs, docs.Refused[document.ZAttrs] == nil)
	}
	if docs, err = n.docs().FindRest(ctx, docs, document.ZGroup); err != nil {
		return nil, err
	}
	found, err := n.parse(docs)
	if g, ok := found.(*Group); ok {
		g.lazy.known.Store(c)
	}
	return found, err
}

// ofOwnCopy makes a v2 group of the consolidated metadata beside it; nil where that does not have
// the group. Its attributes are those of .zattrs, unless that is not known: neither among the
// documents nor absent.
func (n *node) ofOwnCopy(c *copied, docs document.Set, absent bool) (Node, error) {
	m, ok := c.nodes[""].(*meta.Group)
	if !ok {
		return nil, nil
	}
	n.doc = document.Stored{Key: c.key}
	if docs.Has(document.ZAttrs) || absent {
		n.attrsDoc = n.docs().Stored(docs, document.ZAttrs)
		own := *m
		var err error
		if own.Attrs, err = n.parser().AttrsV2(n.attrsDoc.Key, n.attrsDoc.Bytes); err != nil {
			return nil, err
		}
		m = &own
	}
	n.format, n.attrs = m.Format, m.Attrs
	g := &Group{node: *n, meta: m, lazy: &lazyCopy{}}
	g.lazy.known.Store(c)
	return g, nil
}
