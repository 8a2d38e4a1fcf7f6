// Package storetest tests stores against the contract of package store.
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) store.Store { return mem.New() })
//	}
//
// [Run] runs every case as a subtest. [Check] does the same without a *testing.T, and returns all
// violations joined. Each [*Misbehaviour] names the violated clause of the contract. Every case
// opens a new empty store.
//
// [Without] declares the features that a store lacks. The suite checks that the store refuses them
// with [errors.ErrUnsupported]: a store that ignored a condition would lose data. The suite calls
// optional verbs through store.Pages, store.DeleteAll and store.PutParts, so stores without these
// verbs pass too.
//
// For stores with a network, use [Keys](20) and [Rounds](2). The suite then sends one to two
// thousand requests, most of them concurrently.
package storetest
