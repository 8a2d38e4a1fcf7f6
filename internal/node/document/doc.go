// Package document sends all requests for metadata documents: zarr.json, .zarray, .zgroup, .zattrs,
// .zmetadata, and the v1 documents "meta" and "attrs". Package zarr makes arrays and groups from
// the documents, and encodes new contents of documents.
//
//	n := document.Node{Store: st, Path: "t2m", Limit: 64 << 20}
//	docs, err := n.Find(ctx, document.Any) // every document that could make it a node, concurrently
//	v, err := n.Swap(ctx, was, text, "attributes cannot be changed")
//
// Writes are conditional: a put creates an absent document or replaces the version that was read.
// fault.NotFound means that the store has proven the absence of a document. A denied read does not
// prove absence.
//
// Errors are those of the store. The caller adds the path of the node. A [Node] is a value and may
// be used concurrently.
package document
