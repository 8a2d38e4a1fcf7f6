// Package metamorphic runs random sequences of operations and compares the stored hierarchy with a
// model in memory after every step.
//
// A seed determines the whole sequence: the store, the formats, data types, grids and codecs, and
// the operations with their options. One goroutine runs the sequence, and no request fails.
// (Package integration/model tests concurrent writers and lost requests.) A failed test prints the
// seed and a command that repeats the sequence:
//
//	go test ./integration/metamorphic -first 4711 -sequences 1 -v
//
// The package contains only tests.
package metamorphic
