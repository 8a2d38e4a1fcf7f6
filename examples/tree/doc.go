// Command tree prints a hierarchy: groups, arrays and their attributes, and the number of requests
// needed to read them.
//
//	go run ./examples/tree 's3://bucket/data.zarr?region=eu-central-1'
//	go run ./examples/tree -direct data.zarr
//
// With consolidated metadata, the document of the root contains the whole tree. Without
// consolidated metadata, or with -direct, each level is listed and its documents are requested
// concurrently. If the metadata of a node is unusable, the command prints the error and continues.
// At the end it exits with status 1.
package main
