// Package node reads and writes the metadata documents of arrays and groups: zarr.json, .zarray,
// .zgroup, .zattrs, .zmetadata, and the v1 documents "meta" and "attrs". It opens, lists, creates
// and deletes nodes, consolidates their metadata, and holds their documents by claims.
//
//	n := &node.Node{Store: written.Around(st), Path: "weather", Cfg: options}
//	g, err := n.Open(ctx, node.Group)
//	for f := range g.Members(ctx, 1) {
//		fmt.Println(f.Node.Path, f.Err)
//	}
//
// A [Node] is the location of a node. After it is opened, it also has the metadata and, for an
// array, the bound codecs. An opened Node is immutable and safe for concurrent use.
//
// Writes are conditional: a put creates an absent document or replaces the version that was read.
// fault.NotFound means that the store has proven the absence of a document. A denied read does not
// prove absence.
//
// Errors of methods that open, list and create nodes name the store and the path of the node.
// Errors of methods for single documents are those of the store; see [Node.Errorf].
package node
