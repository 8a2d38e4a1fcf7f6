// Package mutants runs the command on damaged copies of the golden stores, each in a process of its
// own, and bounds its memory and time.
//
//	go test ./integration/mutants -mutants 5000 -seed 24
//
// A mutant is made by [Make] from a seed and a number: members of documents and stored bytes are
// changed as chance has it, lengths most of all. Whatever it declares, a command ends within 512
// MiB and 5 seconds of the processor, or with a limit error. Run one of them again by -only, and
// look at it by -keep:
//
//	go test ./integration/mutants -seed 24 -only 1234 -keep /tmp/mutant
package mutants
