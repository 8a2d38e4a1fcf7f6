package node

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// ErrMigrated is the error of a change through the v2 documents of a node that was migrated to v3.
// It is a fault.Conflict.
var ErrMigrated = fault.Newf(fault.Conflict, "migrated to v3: open it again")

// Migrated returns ErrMigrated if d carries the mark of a migration and the path has v3 metadata.
// The mark does not count after that metadata was deleted. It returns fault.Conflict if a migration
// is in progress.
func (n *Node) Migrated(ctx context.Context, d Stored) error {
	c, err := ClaimIn(d)
	if err != nil || c.What != claim.Migrate {
		return err
	}
	if c.Under() {
		return fault.Newf(fault.Conflict, "%v is in progress", c)
	}
	return n.Superseded(ctx)
}

// Superseded returns ErrMigrated if the path has v3 metadata.
func (n *Node) Superseded(ctx context.Context) error {
	is, err := n.Look(ctx, ZarrJSON)
	if err == nil && is.There() {
		err = ErrMigrated
	}
	return err
}

// Remains checks that the node whose document is was, as read before, is still stored. Lengths may
// have changed. It returns fault.NotFound if the node was removed, ErrMigrated if it was migrated,
// and fault.Conflict if another node has replaced it.
func (n *Node) Remains(ctx context.Context, was Stored) error {
	c, s := n.Begin(ctx)
	v, err := s.Get(c, was.Key, store.GetOptions{IfNotVersion: was.Version, Max: n.Cfg.MaxMetadata}, nil)
	switch {
	case errors.Is(err, fault.Unchanged):
		return n.Migrated(ctx, was)
	case errors.Is(err, fault.NotFound):
		return fault.Newf(fault.NotFound, "the node was removed: %w", err)
	case err != nil:
		return err
	}
	is := Stored{Key: was.Key, Bytes: v.Bytes, Version: v.Version}
	if err := n.Migrated(ctx, is); err != nil {
		return err
	}
	other, err := meta.Changed(was.Key, was.Bytes, is.Bytes, attributes, "consolidated_metadata", "shape", claim.Member, claim.RecordMember)
	if err == nil && other != "" {
		err = fault.Newf(fault.Conflict, "%q was replaced concurrently and has another %s", was.Key, other)
	}
	if err == nil && was.Key == n.Key(ZGroup) {
		// Nobody changes a .zgroup: the group was removed or migrated, and created again.
		err = n.Superseded(ctx)
	}
	return err
}

// Orphaned is the second look of a writer of attributes, after it has put attrs in place of before.
// It returns the error of [Node.Remains] for the node whose document is was. If the node was
// removed, Orphaned deletes the attributes, on the condition of their version, so that no later
// node adopts them. If another node was created meanwhile, before is its document, and Orphaned
// puts it back.
func (n *Node) Orphaned(ctx context.Context, was, before, attrs Stored) error {
	ctx, cancel := Detached(ctx)
	defer cancel()
	err := n.Remains(ctx, was)
	if !errors.Is(err, fault.NotFound) || attrs.Version == "" && !n.Cfg.SingleWriter {
		return err
	}
	if before.There() {
		if other, look := n.firstOf(ctx, founding()); look != nil || other != "" {
			_, _ = n.Swap(ctx, attrs, before.Bytes, "attributes cannot be restored")
			return err
		}
	}
	_ = n.delete(ctx, attrs.Key, attrs.Version)
	return err
}
