// Package manifest writes the SHA-256 of every value in a store, in the form of sha256sum, and
// checks a store against it.
//
//	err := manifest.Write(ctx, st, w)    // one line for each key, sorted: sha256sum -c accepts it in the folder of a directory store
//	r, err := manifest.Check(ctx, st, f) // missing, changed and extra keys
//
// Values are read many at once, large ones in ranges of one version each where the store has
// versions: a value that changes while it is read is zarr/fault.Conflict. Memory is 128 MiB for
// values, and a few hundred bytes for each key.
package manifest
