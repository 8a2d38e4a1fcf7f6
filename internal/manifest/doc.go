// Package manifest writes the SHA-256 of every value in a store, in the form of sha256sum, and
// checks a store against it.
//
//	err := manifest.Write(ctx, st, w, manifest.Options{})    // one line for each key, sorted: sha256sum -c accepts it in the folder of a directory store
//	r, err := manifest.Check(ctx, st, f, manifest.Options{}) // missing, changed and extra keys
//
// Values are read many at once, large ones in ranges of one version each where the store has
// versions: a value that changes while it is read is zarr/fault.Conflict. Values take at most 128
// MiB of the budget, and each key a few hundred bytes beside it.
package manifest
