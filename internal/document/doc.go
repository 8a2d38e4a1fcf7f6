// Package document sends every request about metadata documents: zarr.json, .zarray, .zgroup,
// .zattrs, .zmetadata and v1's meta and attrs. Package zarr makes arrays and groups of what is read
// here, and says what is to be written.
//
//	n := document.Node{Store: st, Path: "t2m", Limit: 64 << 20}
//	docs, err := n.Find(ctx, document.Any) // every document that could make it a node, all at once
//	v, err := n.Swap(ctx, was, text, "attributes cannot be changed safely")
//
// Writes are conditional: a document is put where none is, or replaces the one that was read. Only
// a proven absence is fault.NotFound; a refusal is not an absence.
//
// Errors are the store's, with no path added: the caller says which node they are about. A [Node]
// is a value and may be used from many goroutines.
package document
