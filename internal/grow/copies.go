package grow

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Finish updates arrays in the consolidated metadata of a group, and ends the claim that held has.
func Finish(ctx context.Context, of *node.Node, held *node.Held, arrays []*node.Node) error {
	g := &group{Node: of, held: held}
	return g.finish(ctx, arrays)
}

// takenOver is the name of a member of .zmetadata. Its value is the claim ID of the last append
// that took over another append. Readers ignore the member.
const takenOver = "zargo_taken_over"

// finish updates the arrays in the group's consolidated metadata and ends the claim. In v3 it does
// so by a single put.
func (g *group) finish(ctx context.Context, arrays []*node.Node) error {
	if g.Format == 2 {
		return g.finishV2(ctx, arrays)
	}
	nodes := map[string][]byte{}
	for _, a := range arrays {
		doc, err := a.CopyV3()
		if err != nil {
			return err
		}
		nodes[g.below(a)] = doc
	}
	return g.held.CommitBy(ctx, func(d node.Stored) (node.Change, error) {
		const member = "consolidated_metadata"
		c := node.Change{Record: g.held.Record()}
		if raw, err := meta.Member(d.Key, d.Bytes, member); err != nil || raw == nil || bytes.Equal(raw, []byte("null")) {
			return c, err
		}
		doc, err := meta.SpliceV3(d.Key, d.Bytes, nodes)
		if err != nil {
			return c, err
		}
		raw, err := meta.Member(d.Key, doc, member)
		c.Edits = node.Edits{member: raw}
		return c, err
	})
}

// finishV2 updates the group's .zmetadata while the claim is held, and then ends the claim.
func (g *group) finishV2(ctx context.Context, arrays []*node.Node) error {
	err := g.splicing(ctx, arrays)
	if err != nil && !errors.Is(err, fault.Conflict) {
		over, cancel := node.Detached(ctx)
		defer cancel()
		if again := g.splicing(over, arrays); again == nil || errors.Is(again, fault.Conflict) {
			ctx, err = over, again
		}
	}
	switch {
	case errors.Is(err, node.ErrEnded):
		return nil // another process found that the append is complete and ended its claim
	case err != nil:
		return err
	}
	return g.held.GiveUp(ctx, false)
}

// maxSplices bounds how often a change of .zmetadata is retried. Each conflict means that another
// writer changed .zmetadata.
const maxSplices = 1000

// splicing calls splice again as long as another writer changes .zmetadata between the read and the
// put of splice.
func (g *group) splicing(ctx context.Context, arrays []*node.Node) error {
	for try := 1; ; try++ {
		err := g.splice(ctx, arrays)
		if !errors.Is(err, fault.Conflict) || try == maxSplices {
			return err
		}
		g.Conflict()
	}
}

const unchangeable = "consolidated metadata cannot be changed"

// splice updates the arrays in the group's .zmetadata, if it exists. It reads .zmetadata, checks
// the claim, and puts .zmetadata on the condition of the version that it read. An append that takes
// over this append first takes the claim and then changes .zmetadata. Therefore either the check or
// the condition fails.
func (g *group) splice(ctx context.Context, arrays []*node.Node) error {
	d, _, err := g.copiedV2(ctx)
	if err == nil {
		err = g.held.Check(ctx)
	}
	if err != nil || !d.There() {
		return err
	}
	docs := map[string][]byte{}
	for _, a := range arrays {
		name, doc, _, err := a.CopyV2()
		if err != nil {
			return err
		}
		docs[node.Join(g.below(a), name)] = doc
	}
	doc, err := meta.SpliceV2(d.Key, d.Bytes, docs)
	if err == nil {
		doc, err = meta.Edit(d.Key, doc, map[string]json.RawMessage{takenOver: nil})
	}
	if err != nil {
		return err
	}
	_, err = g.Swap(ctx, d, doc, unchangeable)
	return err
}

// copied returns the nodes in the group's consolidated metadata by their path below the group. It
// returns nil if the group lacks consolidated metadata.
func (g *group) copied(ctx context.Context) (*meta.Copies, error) {
	if m, ok := g.Model.(*meta.Group); ok && g.Format != 2 {
		return m.Consolidated, nil
	}
	d, nodes, err := g.copiedV2(ctx)
	g.copy = d
	return nodes, err
}

// fence changes .zmetadata of a v2 group after this append took over an earlier append. The earlier
// append may have checked its claim before the take-over and may still put .zmetadata, on the
// condition of the version that it read before the check. Because of the change, this condition
// fails. fence returns errChanged if .zmetadata has changed since this append read it.
func (g *group) fence(ctx context.Context) error {
	if g.Format != 2 || !g.old.Under() {
		return nil
	}
	id, err := json.Marshal(g.held.Claim().ID)
	if err != nil {
		return err
	}
	var tried []byte
	for try := 1; ; try++ {
		d, _, err := g.copiedV2(ctx)
		switch {
		case err != nil:
			return err
		case tried != nil && bytes.Equal(d.Bytes, tried): // the put was applied, but its response was lost
			return nil
		case !same(d, g.copy):
			return errChanged
		case !d.There():
			return nil
		}
		tried, err = meta.Edit(d.Key, d.Bytes, map[string]json.RawMessage{takenOver: id})
		if err != nil {
			return err
		}
		_, err = g.Swap(ctx, d, tried, unchangeable)
		if !errors.Is(err, fault.Conflict) || try == maxSplices {
			return err
		}
	}
}

// completed reads the consolidated metadata again and reports whether the append that was taken
// over is complete. All arrays must have n rows, in their own documents and in the consolidated
// metadata.
func (g *group) completed(ctx context.Context, members []member, n int) bool {
	copies, err := g.copied(ctx)
	g.copies = copies
	return err == nil && g.shows(members, n)
}

// copiedV2 reads and parses the group's .zmetadata. If .zmetadata is absent, copiedV2 returns no
// error.
func (g *group) copiedV2(ctx context.Context) (node.Stored, *meta.Copies, error) {
	d, err := g.Get(ctx, node.ZMetadata)
	if errors.Is(err, fault.NotFound) {
		return d, nil, nil
	}
	if err != nil {
		return d, nil, err
	}
	nodes, err := g.Parser().ConsolidatedV2(d.Key, d.Bytes)
	return d, nodes, err
}
