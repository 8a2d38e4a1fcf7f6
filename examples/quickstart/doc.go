// Command quickstart does zargo's main job on a directory and prints what it took: it creates an
// array of some hundred MiB, writes it in parallel by regions, opens it again, reads it in parallel
// by regions and checks every value.
//
//	go run ./examples/quickstart
//	go run ./examples/quickstart -mib 64 -dir /tmp/demo.zarr -keep
//
// No cloud provider is linked. It ends with status 1 when any value is wrong.
package main
