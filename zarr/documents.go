package zarr

// Documents returns the documents of the array by key relative to the store's root, for the option
// [Documents] in this or another process. They are the documents that were read, or are made from
// consolidated metadata if the array was opened from that. A view of a field returns the documents
// of the whole array. The bytes are shared and must not be changed.
func (a *Array) Documents() (map[string][]byte, error) { return a.at.Documents() }

// Documents returns the documents of the group, as [Array.Documents] does. They include
// consolidated metadata, for a v2 group once it has been read. With it, the nodes below the group
// also open without a request.
//
// For a group that was itself opened from consolidated metadata above it, the result lacks
// consolidated metadata. Without consolidated metadata, collect the documents of each node of
// [Group.Walk] to have those of all nodes.
func (g *Group) Documents() (map[string][]byte, error) { return g.at.Documents() }
