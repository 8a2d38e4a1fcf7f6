// Package storetest tests stores against the contract of package store.
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) store.Store { return mem.New() })
//	}
//
// [Run] runs every case as a subtest. [Check] does the same without a *testing.T and returns all
// violations joined. Each [*Misbehaviour] names the violated clause of the contract. Every case
// opens its own empty store.
//
// [Without] declares the features that a store lacks. The store must refuse them with
// [errors.ErrUnsupported], which is tested, since an ignored condition loses data. Optional verbs
// are called through store.Pages, store.DeleteAll and store.PutParts, whose fallbacks make stores
// without these verbs pass.
//
// For stores with a network: with [Keys](20) and [Rounds](2) the test sends one to two thousand
// requests, most of them concurrently.
package storetest
