// Package storetest holds any store to the contract of package store.
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) store.Store { return mem.New() })
//	}
//
// [Run] makes a subtest of every case; [Check] is the same without a *testing.T and returns all
// misbehaviours joined. Each [*Misbehaviour] names the clause of the contract that was broken.
// Every case opens an empty store of its own.
//
// A store that lacks something says so by name with [Without]; what it lacks it must then refuse
// with [errors.ErrUnsupported], which is checked: a condition that is ignored loses data. Optional
// verbs are used through store.Pages, store.DeleteAll and store.PutParts, so a store without them
// passes by the fallback.
//
// Costs for stores with a network: with [Keys](20) and [Rounds](2) one to two thousand requests,
// most of them many at once.
package storetest
