package hierarchy

import "github.com/zargo-io/zargo/internal/document"

// Handle makes the Node of an array or a group of package zarr known to packages of this module,
// which call Of. Package zarr embeds it, so that users see nothing of it.
type Handle struct{ node *Node }

// Handle returns the handle of an opened node.
func (n *Node) Handle() Handle { return Handle{n} }

func (h Handle) handled() *Node { return h.node }

// Of returns the Node of an *Array or a *Group of package zarr: that of a view of a field is the
// whole array's.
func Of(n any) *Node { return n.(interface{ handled() *Node }).handled() }

// SourceOf returns the documents of an *Array or a *Group of package zarr and what they say.
func SourceOf(n any) *document.Source { return Of(n).Source() }
