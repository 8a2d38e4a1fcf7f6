// Package convention reads the attribute zarr_conventions, which declares the conventions that the
// attributes of a node follow (zarr-conventions-spec), and has helpers for attributes of JSON.
//
// A declaration identifies its convention by uuid, else by schema_url, else by spec_url. The name
// is for people and does not identify it.
//
// The package performs no I/O. Its values are immutable and safe for concurrent use, except
// [Findings].
package convention
