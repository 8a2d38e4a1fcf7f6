package upkeep

import (
	"context"
	"slices"

	"github.com/zargo-io/zargo/internal/claim"
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/fault"
)

// claimed holds the claims of a Migrate on v2 arrays, by document key. An append or a resize that
// began before the claim has an outdated version of the document, so even a late request cannot
// change the shape.
type claimed struct {
	keys []string
	held map[string]*document.Held
}

// unclaimed returns an error if an append or a resize of a node is in progress. The claim of
// another migration is accepted.
func unclaimed(of *document.Source) error {
	c, err := document.ClaimIn(of.Claimed())
	if err == nil && c.Under() && c.What != claim.Migrate {
		err = fault.Newf(fault.Conflict, "%v is in progress", c)
	}
	return err
}

// hold claims a v2 array. It does nothing in stores without versions, where appends are not safe
// anyway, and for arrays opened with SingleWriter.
func (c *claimed) hold(ctx context.Context, of *document.Source) error {
	if of.Kind() != document.Array || of.Format() != 2 || of.Doc.Version == "" || of.At.SingleWriter {
		return nil
	}
	mine := claim.New(claim.Migrate)
	h, err := of.At.Hold(ctx, of.Doc, document.TakeOver{What: claim.Migrate}, func(t document.Text) (document.Change, error) {
		return document.Change{Claim: mine, Record: t.Record}, t.As(of.Doc)
	})
	if err != nil {
		return err
	}
	if c.held == nil {
		c.held = map[string]*document.Held{}
	}
	c.keys = append(c.keys, of.Doc.Key)
	c.held[of.Doc.Key] = h
	return nil
}

// remove deletes the documents of a node, and with them the claim on the node.
func (c *claimed) remove(ctx context.Context, of *document.Source) error {
	docs := of.Documents()
	for i, d := range docs {
		if h := c.held[d.Key]; h != nil {
			docs[i] = h.Doc()
		}
	}
	err := of.At.Delete(ctx, docs...)
	if err == nil {
		c.keys = slices.DeleteFunc(c.keys, func(key string) bool { return key == of.Doc.Key })
	}
	return err
}

// giveUp releases the remaining claims when Migrate ends, even if ctx has ended.
func (c *claimed) giveUp(ctx context.Context) {
	if len(c.keys) == 0 {
		return
	}
	ctx, cancel := document.Detached(ctx)
	defer cancel()
	for _, key := range c.keys {
		_ = c.held[key].GiveUp(ctx, false)
	}
}

// release releases the claims.
func (c *claimed) release(ctx context.Context) error {
	for len(c.keys) > 0 {
		if err := c.held[c.keys[0]].GiveUp(ctx, false); err != nil {
			return err
		}
		c.keys = c.keys[1:]
	}
	return nil
}
