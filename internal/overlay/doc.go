// Package overlay provides a store with metadata documents in front of another store. An array can
// be written through it before its documents are stored, so that readers never see a partial array.
//
//	st := overlay.New(below, docs)
//	a, err := zarr.OpenArray(ctx, st, "t2m")
package overlay
