// Package mutants runs the command on damaged copies of the golden stores, each in its own process,
// with limits on memory and time.
//
//	go test ./integration/mutants -mutants 5000 -seed 24
//
// [Make] creates a mutant from a seed and a number. It changes members of documents and stored
// bytes at random, most often lengths. On every mutant, a command must use at most 512 MiB and 5
// seconds of CPU time, or return a limit error. The flag -only runs one mutant again, and -keep
// keeps it for inspection:
//
//	go test ./integration/mutants -seed 24 -only 1234 -keep /tmp/mutant
package mutants
