package zarr

// Documents returns the documents of the array by key relative to the store's root, for the option
// [Documents] in this or another process. If the array was opened from consolidated metadata, they
// are made from it; otherwise they are the documents that were read. A view of a field returns the
// documents of the whole array. The bytes are shared and must not be changed.
func (a *Array) Documents() (map[string][]byte, error) { return a.at.Documents() }

// Documents returns the documents of the group, as [Array.Documents] does. They include
// consolidated metadata; for a v2 group only after it has been read. With consolidated metadata,
// the nodes below the group also open without a request.
//
// If the group was itself opened from the consolidated metadata of a group above it, the result
// does not contain consolidated metadata. The documents of all nodes are then those of each node of
// [Group.Walk] together.
func (g *Group) Documents() (map[string][]byte, error) { return g.at.Documents() }
