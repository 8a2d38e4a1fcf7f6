package node

// Handle contains the Node of an array or a group of package zarr. Other packages of this module
// read the Node with [Of]. Package zarr embeds the Handle in a way that is invisible to users.
type Handle struct{ node *Node }

// Handle returns the handle of an opened node.
func (n *Node) Handle() Handle { return Handle{n} }

func (h Handle) handled() *Node { return h.node }

// Handled is an *Array or a *Group of package zarr.
type Handled interface{ handled() *Node }

// Of returns the Node of an array or a group. For a view of a field it returns the Node of the
// whole array.
func Of(n Handled) *Node { return n.handled() }
