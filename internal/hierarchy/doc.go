// Package hierarchy finds the nodes of a Zarr hierarchy, reads them, creates them and copies their
// metadata: what package zarr does with documents before it reads and writes chunks.
//
//	n := &hierarchy.Node{Store: written.Around(st), Path: "weather", Cfg: options}
//	g, err := n.Open(ctx, document.Group)
//	for f := range g.Members(ctx, 1) {
//		fmt.Println(f.Node.Path, f.Err)
//	}
//
// A Node is where documents are and, once it was opened, what they say; an array's codecs are bound.
// An opened Node is immutable: its methods may be called from any number of goroutines. Errors name
// the store and the path of the node.
package hierarchy
