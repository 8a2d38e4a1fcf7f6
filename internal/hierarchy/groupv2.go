package hierarchy

import (
	"context"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/meta"
)

// openGroupV2 opens a group that is of v2 if it exists, and reads its consolidated metadata at once,
// which nearly all have: where that has the group itself, .zgroup is not read. Attributes are always
// read, since they may have been set after the copy was made.
func (n *Node) openGroupV2(ctx context.Context) (*Node, error) {
	var docs document.Set
	var c *copied
	err := concurrency.EachN(ctx, 2, 2, func(ctx context.Context, i int) (err error) {
		if i == 0 {
			docs, err = n.Docs().Read(ctx, document.ZAttrs)
		} else {
			c, err = n.readCopy(ctx)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if _, ok := c.nodes[""].(*meta.Group); ok {
		b := *n
		b.From = FromCopy
		return b.ofOwnCopy(c, docs, docs.Refused[document.ZAttrs] == nil)
	}
	if docs, err = n.Docs().FindRest(ctx, docs, document.ZGroup); err != nil {
		return nil, err
	}
	found, err := n.Parse(docs)
	if err == nil && found != nil && found.lazy != nil {
		found.lazy.known.Store(c)
	}
	return found, err
}

// ofOwnCopy makes a v2 group of the consolidated metadata beside it; nil where that does not have
// the group. Its attributes are those of .zattrs, unless that is unknown: neither among the
// documents nor known to be absent.
func (n *Node) ofOwnCopy(c *copied, docs document.Set, absent bool) (*Node, error) {
	m, ok := c.nodes[""].(*meta.Group)
	if !ok {
		return nil, nil
	}
	b := *n
	b.Doc = document.Stored{Key: c.key}
	if docs.Has(document.ZAttrs) || absent {
		b.AttrsDoc = n.Docs().Stored(docs, document.ZAttrs)
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
