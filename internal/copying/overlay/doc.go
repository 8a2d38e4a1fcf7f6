// Package overlay provides a store that adds metadata documents to another store. Callers use it to
// write the chunks of an array before they store its documents, so readers never see a partial
// array.
//
//	st := overlay.New(below, docs)
//	a, err := zarr.OpenArray(ctx, st, "t2m")
package overlay
