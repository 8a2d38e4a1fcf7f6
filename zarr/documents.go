package zarr

// Documents returns the metadata documents of the array by key, for the option [Documents] in this
// or another process. The keys are relative to the store's root. If the array was opened from
// consolidated metadata, the documents are made from it; otherwise they are the documents that were
// read. A view of a field returns the documents of the whole array. The bytes must not be changed.
func (a *Array) Documents() (map[string][]byte, error) { return a.at.Documents() }

// Documents returns the documents of the group, as [Array.Documents] does. They include the group's
// consolidated metadata, but in v2 only after it has been read. With consolidated metadata, the
// nodes below the group also open without a request.
//
// If the group was itself opened from the consolidated metadata of a group above it, the result
// does not contain consolidated metadata. To get the documents of all nodes, collect those of each
// node that [Group.Walk] yields.
func (g *Group) Documents() (map[string][]byte, error) { return g.at.Documents() }
