// Package hierarchy opens, lists and creates the nodes of a Zarr hierarchy, and consolidates their
// metadata. It implements the part of package zarr that reads and writes documents.
//
//	n := &hierarchy.Node{Store: written.Around(st), Path: "weather", Cfg: options}
//	g, err := n.Open(ctx, document.Group)
//	for f := range g.Members(ctx, 1) {
//		fmt.Println(f.Node.Path, f.Err)
//	}
//
// A Node is the location of a node. After it is opened, it also has the metadata and, for an array,
// the bound codecs. An opened Node is immutable and safe for concurrent use. Errors name
// the store and the path of the node.
package hierarchy
