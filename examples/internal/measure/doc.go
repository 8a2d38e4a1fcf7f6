// Command measure builds programs with the flags for deployment, and prints their size and their
// start-up time.
//
//	# the functions: size, and time from start to the first response
//	go run ./examples/internal/measure
//	go run ./examples/internal/measure -starts 30
//	# the smallest program with each store, for docs/tuning.md, table 3
//	go run ./examples/internal/measure -sizes
//
// Programs are built without cgo and stripped. Each start is a new process that reads an array in a
// directory. The time is measured from exec to the end of the first response. For Cloud Run, the
// process serves HTTP on a port. For Lambda, a small server in this command simulates the Runtime
// API. The time that a cloud takes to place the instance, load the image and reach a bucket is not
// included. Only results of the same machine can be compared.
//
// The command must be run in a checkout of this module, and needs the go command.
package main
