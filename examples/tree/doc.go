// Command tree draws a hierarchy: groups, arrays and their attributes, and how many requests it
// took to know them.
//
//	go run ./examples/tree 's3://bucket/data.zarr?region=eu-central-1'
//	go run ./examples/tree -direct data.zarr
//
// With consolidated metadata the whole tree is in the root's document. Without it, or with -direct,
// each level is listed and its documents are asked for many at once. A node whose metadata cannot
// be used is drawn as such, and the walk goes on; the command then ends with status 1.
package main
