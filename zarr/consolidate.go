package zarr

import "context"

// Consolidate writes the metadata of all nodes below the group into one document, so that others
// open the hierarchy with one request: into the group's zarr.json, or into .zmetadata for v2. The
// nodes are read one by one, never taken from an older copy, and the document is written on
// condition that no one else wrote it since they were read. If someone did, all is read again: of
// calls at the same time each succeeds, and the document that stays is not older than any of them.
// A node that cannot be read, or has another format than the group, is an error, and nothing is
// written.
//
// While a [Group.Append] is in progress its arrays have their previous length in the copy. The
// append sets their new one.
//
// The copy is a cache. It says nothing of what is created or changed later: call Consolidate again,
// or see package upkeep, which checks it and brings it up to date about one node. What is returned
// is the group with the new copy; g stays as it was.
func (g *Group) Consolidate(ctx context.Context) (*Group, error) {
	at, err := g.at.Consolidate(ctx)
	if err != nil {
		return nil, err
	}
	return &Group{nodeOf(at, g.cfg)}, nil
}
