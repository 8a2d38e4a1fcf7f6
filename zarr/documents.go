package zarr

// Documents returns the documents of the array by key below the store's root, for the option
// [Documents] in this process or another one: as they were read, or made of consolidated metadata
// where the array was taken from that. Those of a view of a field are the whole array's. The bytes
// are shared: do not change them.
func (a *Array) Documents() (map[string][]byte, error) { return a.at.Documents() }

// Documents returns the documents of the group, as [Array.Documents] does. Consolidated metadata is
// among them, a v2 group's once it was read; with it the nodes below the group are opened without a
// request too. A group that was itself taken from consolidated metadata above it comes without. To
// have all nodes where there is no consolidated metadata, gather those of each node of Walk.
func (g *Group) Documents() (map[string][]byte, error) { return g.at.Documents() }
