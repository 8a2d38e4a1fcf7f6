// Command quickstart runs zargo's main job on a directory and prints its cost. It creates an array
// of several hundred MiB, writes it in parallel by regions, opens it again, reads it in parallel by
// regions and checks every value.
//
//	go run ./examples/quickstart
//	go run ./examples/quickstart -mib 64 -dir /tmp/demo.zarr -keep
//
// The program does not link the packages of cloud providers. It exits with status 1 if any value is
// wrong.
package main
