// Package manifest writes a manifest of a store: the SHA-256 sum of every value, in the format of
// sha256sum. It also checks a store against a manifest.
//
//	// One line per key, sorted. sha256sum -c accepts it in the directory of a directory store.
//	err := manifest.Write(ctx, st, w, manifest.Options{})
//	r, err := manifest.Check(ctx, st, f, manifest.Options{}) // missing, changed and extra keys
//
// Values are read concurrently. Large values are read in ranges. If the store has versions, all
// ranges are read from one version, and fault.Conflict is returned for a value that changes
// meanwhile. Values in memory take at most 128 MiB of the memory budget. In addition, each key
// takes a few hundred bytes.
package manifest
