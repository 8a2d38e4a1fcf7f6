package zarr

import "context"

// Consolidate writes the metadata of all nodes below the group into one document, so that readers
// open the hierarchy with one request. The document is the group's zarr.json, or .zmetadata for
// v2. Consolidate returns the group with the new copy; g is unchanged.
//
// Consolidate reads each node from the store, never from an older copy. It writes the document on
// condition that no other writer changed it in between. If one did, Consolidate reads everything
// again. Concurrent calls therefore all succeed, and the final document is at least as recent as
// each of them. If a node cannot be read, or has another format than the group, Consolidate returns
// an error and writes nothing.
//
// During a [Group.Append] the copy contains the previous length of the arrays. The append sets the
// new length when it completes.
//
// Later changes of nodes do not update the copy. Call Consolidate again, or see package upkeep,
// which checks the copy and updates it for a single node.
func (g *Group) Consolidate(ctx context.Context) (*Group, error) {
	at, err := g.at.Consolidate(ctx)
	if err != nil {
		return nil, err
	}
	return &Group{nodeOf(at, g.cfg)}, nil
}
