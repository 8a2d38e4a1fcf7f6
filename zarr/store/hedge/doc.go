// Package hedge sends a second request for a value if the first request is slow, and uses the
// response that starts first.
//
//	st := hedge.New(provider, hedge.Options{Budget: budget})
//
// In about one of a hundred requests to an object store the first byte takes ten times as long as
// in the others, and a call with hundreds of requests waits for the slowest. If the first byte of a
// Get has not arrived after 1.5 times the 95th percentile of its size class, or after 2.5 times the
// median if that is less, the Get is sent again. The median matters if 5 % of the requests or more
// are slow. The request whose first byte arrives first continues, and the other one is cancelled
// (Dean and Barroso, "The Tail at Scale", CACM 56(2), 2013). A body that becomes slow after its
// first byte is not requested again; the stall limit handles such bodies.
//
// A second request is sent only under these conditions:
//
//   - The store reports first bytes to a [store.Trace], as network stores do. Until it has reported
//     16 of them for the size class, the Get is sent again after 4 times the median of all classes,
//     and at least 100 ms. At least three first bytes must be known, and the median must be 5 ms or
//     more. Absent keys count as well, so that the documents that open a hierarchy are included.
//   - The length of the response is limited to less than 64 MiB. With a larger limit, as for
//     documents, the second request is used if the value has at most 1 MiB.
//   - The allowance permits it. Each Get adds 3 % of a request, and up to 9.9 % while most second
//     requests are used. The allowance starts at 4 and holds at most 16. While it is below 4 and
//     second requests are used less often, they wait longer.
//   - Memory for the response and a request slot ([Options].Free) are free immediately.
//   - No request of the same part of the store ([Options].Part) was throttled in the last 5 s.
//   - The median latency is below 1.5 times its usual value. If it is higher, the whole store is
//     slow, and more requests would make it slower.
//
// A request that fails these conditions is checked again later.
//
// Package hedge belongs below package retry, so that waits before retries are not measured as slow
// requests. It belongs above package limit, so that the second request also takes a slot. Verbs
// other than Get are forwarded unchanged. [store.Trace] reports each second request and whether it
// was used.
package hedge
