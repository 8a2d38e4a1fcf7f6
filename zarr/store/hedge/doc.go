// Package hedge sends a second request for a value whose first one is slow, and uses the one that
// comes first.
//
//	st := hedge.New(provider, hedge.Options{Budget: budget})
//
// Of the requests to an object store about one in a hundred takes ten times as long to its first
// byte as the others, and a call that makes hundreds of them waits for the slowest. A Get whose
// first byte is not there after 1.5 times the 95th percentile of its size class is made once more;
// the first of the two to have its first byte goes on, and the other is cancelled (Dean and
// Barroso, "The Tail at Scale", CACM 56(2), 2013). A body that is slow once it comes is not hedged:
// the stall limit is for that.
//
// A second request is made only
//
//   - when the store reports first bytes ([store.Trace]), as those over a network do, and has reported 16 of the class,
//   - out of an allowance of 3 % of all Gets, which has 4 at the beginning and 16 at most; with fewer than 4 left, only later,
//   - when memory for the answer is free in the budget at once, and a request slot ([Options].Free),
//   - not within 5 s of a throttled request,
//   - not while the median itself is 1.5 times what it was: then the store is slow, and more requests make it slower.
//
// A request that may not be made again yet is looked at again later.
//
// It belongs below package retry, whose waits are no slow requests, and above package limit, of
// whose slots the second request takes one. Other verbs than Get go through unchanged.
// [store.Trace] reports each second request, and whether it was used.
package hedge
