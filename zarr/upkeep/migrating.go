package upkeep

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/zarr/fault"
)

// claimed holds the claims of a Migrate on v2 documents, by document key: the .zarray of each
// array, and the .zattrs of each node. A change that began before the claim has an outdated version
// of the document, so even a late request cannot change it. The claims become marks, so later
// changes fail too.
type claimed struct {
	keys  []string
	held  map[string]*node.Held
	added map[string]bool // documents that Migrate added to carry a claim
	done  map[string]bool // nodes that an earlier Migrate has completed, by path

	// The following fields decide what becomes of the claims if Migrate fails; see giveUp. Their
	// keys are paths of nodes.
	put  map[string][]byte // the v3 documents that this Migrate has put, or may have put
	took map[string]bool   // nodes whose claim or mark of an earlier Migrate was taken over
}

// unclaimed returns an error if an append or a resize of a node is in progress. The claim of
// another migration is accepted.
func unclaimed(of *node.Node) error {
	c, err := node.ClaimIn(of.Claimed())
	if err == nil && c.Under() && c.What != claim.Migrate {
		err = fault.Newf(fault.Conflict, "%v is in progress", c)
	}
	return err
}

// hold claims the documents of a v2 node. It does nothing in stores without versions, where changes
// are not safe anyway, and for nodes opened with SingleWriter.
func (c *claimed) hold(ctx context.Context, of *node.Node) error {
	if of.Format != 2 || of.Doc.Version == "" || of.Cfg.SingleWriter {
		return nil
	}
	docs := []node.Stored{of.AttrsDoc}
	if of.Kind() == node.Array {
		docs = []node.Stored{of.Doc, of.AttrsDoc} // the shape is in the first
	}
	for _, d := range docs {
		if err := c.holdDoc(ctx, of, d); err != nil {
			return err
		}
	}
	return nil
}

// holdDoc claims one document, which may be an absent .zattrs.
func (c *claimed) holdDoc(ctx context.Context, of *node.Node, d node.Stored) error {
	mine := claim.New(claim.Migrate)
	done, took := false, false
	h, err := of.Hold(ctx, d, node.TakeOver{What: claim.Migrate}, func(t node.Text) (node.Change, error) {
		err := t.As(d)
		is := t.Bytes
		if err == nil && d.Key != of.Doc.Key {
			var was []byte
			if was, err = node.Unclaimed(d); err == nil {
				is, err = node.Unclaimed(t.Stored)
			}
			if err == nil && !bytes.Equal(was, is) {
				err = fault.Newf(fault.Conflict, "%q was changed concurrently", d.Key)
			}
		}
		done, took = t.Claim.Done, t.Claim.What == claim.Migrate
		return node.Change{Claim: mine, Record: t.Record}, err
	})
	if err != nil {
		return err
	}
	if c.held == nil {
		c.held, c.added, c.done, c.took = map[string]*node.Held{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	}
	c.took[of.Path] = c.took[of.Path] || took
	c.keys = append(c.keys, d.Key)
	c.held[d.Key] = h
	c.added[d.Key] = !d.There()
	c.done[of.Path] = c.done[of.Path] || done
	return nil
}

// sent records that the v3 document of a node is stored, or may be.
func (c *claimed) sent(path string, doc []byte) {
	if c.put == nil {
		c.put = map[string][]byte{}
	}
	c.put[path] = doc
}

// remove deletes the documents of a node, and with them the claims on the node.
func (c *claimed) remove(ctx context.Context, of *node.Node) error {
	docs := []node.Stored{of.Doc}
	if of.AttrsDoc.Key != of.Doc.Key && (of.AttrsDoc.There() || c.held[of.AttrsDoc.Key] != nil) {
		docs = append(docs, of.AttrsDoc)
	}
	for i, d := range docs {
		if h := c.held[d.Key]; h != nil {
			docs[i] = h.Doc()
		}
	}
	for _, d := range docs {
		if err := of.Delete(ctx, d); err != nil {
			return err
		}
		c.keys = slices.DeleteFunc(c.keys, func(key string) bool { return key == d.Key })
	}
	return nil
}

// giveUp ends the remaining claims when Migrate fails, even if ctx has ended. The claims on a node
// whose v3 document is stored become marks, because readers see that document. The v3 document of
// another creator is not that of the node, so it makes no mark. If the v3 document may still
// arrive, the claims remain, and the next Migrate completes the migration. The other claims are
// released.
func (c *claimed) giveUp(ctx context.Context, at *node.Node) {
	if len(c.keys) == 0 {
		return
	}
	ctx, cancel := node.Detached(ctx)
	defer cancel()
	for _, key := range c.keys {
		h, path := c.held[key], strings.TrimSuffix(key[:strings.LastIndexByte(key, '/')+1], "/")
		if doc, put := c.put[path]; put || c.took[path] {
			is, err := at.At(path).Get(ctx, node.ZarrJSON)
			if err == nil && (c.done[path] || put && alike(at.At(path).Key(node.ZarrJSON), is.Bytes, doc)) {
				_ = done(ctx, h)
			}
			continue
		}
		if c.added[key] {
			_ = at.Delete(ctx, h.Doc())
		} else {
			_ = h.GiveUp(ctx, false)
		}
	}
}

// done replaces a claim by a mark.
func done(ctx context.Context, h *node.Held) error {
	done := h.Claim()
	done.Done = true
	err := h.Commit(ctx, node.Change{Claim: done, Record: h.Record()})
	if is := h.Claim(); err == nil && (is.ID != done.ID || !is.Done) {
		err = fault.Newf(fault.Conflict, "%q was replaced concurrently", h.Doc().Key)
	}
	return err
}

// mark replaces the claims by marks, which remain.
func (c *claimed) mark(ctx context.Context) error {
	for len(c.keys) > 0 {
		if err := done(ctx, c.held[c.keys[0]]); err != nil {
			return err
		}
		c.keys = c.keys[1:]
	}
	return nil
}
