// Package convention reads the attribute zarr_conventions, and has helpers that read attributes as
// JSON. The attribute declares the conventions that the attributes of a node follow
// (zarr-conventions-spec).
//
// A declaration identifies its convention by uuid, else by schema_url, else by spec_url. The name
// is informative and does not identify the convention.
//
// The package performs no I/O. All values except [Findings] are immutable and safe for concurrent
// use.
package convention
