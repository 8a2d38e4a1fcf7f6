// Command measure builds programs as for deployment and prints their size and their start-up time.
//
//	# the functions: size, and time from start to the first response
//	go run ./examples/internal/measure
//	go run ./examples/internal/measure -starts 30
//	# the smallest program with each store, for docs/tuning.md, table 3
//	go run ./examples/internal/measure -sizes
//
// Programs are built without cgo and stripped. Each start is a new process with an array in a
// directory, measured from its exec to the end of its first response. Cloud Run's contract is HTTP
// on a port. Lambda's Runtime API is simulated by a small server in this process. The time that a
// cloud takes to place the instance, load the image and reach a bucket is not included. Compare
// only results of the same machine.
//
// It runs in a checkout of this module and needs the go command.
package main
