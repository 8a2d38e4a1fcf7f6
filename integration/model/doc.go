// Package model runs random histories of everything that changes an array or a group, and compares
// what is stored with a model of the elements.
//
// Two to four actors append, resize, write, consolidate, copy, read through a cache and so on.
// Every request they send waits at a gate. A scheduler with a seed picks the request that goes on.
// It also picks actors that die, requests that are lost, responses that are lost, and requests of
// dead actors that arrive late. So each failure is replayed by its number:
//
//	go test ./integration/model -run TestModel -first 4711 -histories 1 -history
//
// The package has tests only. docs/evidence/correctness.md says which statements hold.
package model
