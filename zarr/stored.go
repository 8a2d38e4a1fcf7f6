package zarr

import (
	"context"

	"github.com/zargo-io/zargo/internal/node"
)

// Stored returns the array as its own stored documents describe it, never a copy of them: neither
// consolidated metadata nor the option [Documents]. Work that moves, compares or deletes data
// begins with Stored, because a copy may be out of date.
//
// If the array was opened from its own documents, Stored sends no request. Otherwise it reads the
// documents again. It returns ErrNotFound if the store proves that they are absent, and a group if
// the array was replaced by one. It returns the same view of a field.
func (a *Array) Stored(ctx context.Context) (Node, error) {
	if a.field != nil {
		n, err := a.field.base.Stored(ctx)
		base, ok := n.(*Array)
		if err != nil || !ok {
			return n, err
		}
		return base.Field(a.field.path...)
	}
	if a.at.From == node.FromStore {
		return a, nil
	}
	return a.stored(ctx)
}

// Stored returns the group as its own stored documents describe it, as [Array.Stored] does. All
// nodes that are opened or listed through the result are read from their own documents too.
//
// Walk and Members of the result list the store. They compare the nodes with the group's
// consolidated metadata, if any, and report the nodes that differ as one finding of [rule.Stale] to
// [OnFinding]. If the store cannot list, they take the names of the nodes from the consolidated
// metadata, report [rule.Unlisted], and yield ErrNotFound for each node without documents.
func (g *Group) Stored(ctx context.Context) (Node, error) { return g.stored(ctx) }

func (n *opened) stored(ctx context.Context) (Node, error) {
	cfg := n.cfg
	if err := cfg.add([]Option{IgnoreConsolidated()}); err != nil {
		return nil, err
	}
	at, err := n.at.Own(ctx)
	if err != nil {
		return nil, err
	}
	return newNode(at, cfg), nil
}
