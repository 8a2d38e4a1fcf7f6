// Command tree prints a hierarchy: groups, arrays and their attributes, and the number of requests
// needed to read them.
//
//	go run ./examples/tree 's3://bucket/data.zarr?region=eu-central-1'
//	go run ./examples/tree -direct data.zarr
//
// With consolidated metadata, the document of the root contains the whole tree. Without it, or with
// -direct, each level is listed and its documents are requested concurrently. The command prints
// the error of a node with unusable metadata and continues. It then exits with status 1.
package main
