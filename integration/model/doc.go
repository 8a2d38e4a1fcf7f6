// Package model runs random histories of all operations that change an array or a group, and
// compares the stored data with a model of the elements.
//
// Two to four actors append, resize, write, consolidate, copy, read through a cache and so on. Each
// of their requests waits at a gate. A seeded scheduler picks the next request to proceed. It also
// picks actors that die, requests that are lost, responses that are lost, and requests of dead
// actors that arrive late. The number of a history determines all of these choices, so a failure
// can be replayed:
//
//	go test ./integration/model -run TestModel -first 4711 -histories 1 -history
//
// The package contains only tests. docs/evidence/correctness.md lists the verified statements.
package model
