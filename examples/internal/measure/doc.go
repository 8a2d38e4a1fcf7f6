// Command measure builds programs as they would be deployed and prints what they weigh and how fast
// they start.
//
//	go run ./examples/internal/measure            # the functions: size, and time from start to the first answer
//	go run ./examples/internal/measure -starts 30
//	go run ./examples/internal/measure -sizes     # the smallest program with each store, for docs/tuning.md, table 3
//
// Programs are built without cgo and stripped. A start is a process of its own, with an array in a
// directory, from its exec to the end of its first answer: Cloud Run's contract is HTTP on a port,
// and Lambda's Runtime API is played by a small server in this process. What a cloud adds (placing
// the instance, loading the image) is not in it, nor is the way to a bucket. Only figures of one
// machine can be compared.
//
// It runs in a checkout of this module and needs the go command.
package main
