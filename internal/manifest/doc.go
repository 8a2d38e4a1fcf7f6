// Package manifest writes the SHA-256 sum of every value in a store in the format of sha256sum, and
// checks a store against such a manifest.
//
//	// One line per key, sorted. sha256sum -c accepts it in the directory of a directory store.
//	err := manifest.Write(ctx, st, w, manifest.Options{})
//	r, err := manifest.Check(ctx, st, f, manifest.Options{}) // missing, changed and extra keys
//
// Values are read concurrently. Large values are read in ranges, all of one version if the store
// has versions; a value that changes meanwhile returns fault.Conflict. Values in memory take at
// most 128 MiB of the memory budget. Each key takes some hundred bytes more.
package manifest
