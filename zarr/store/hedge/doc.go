// Package hedge sends a second request for a value if the first request is slow, and uses the
// response that starts first.
//
//	st := hedge.New(provider, hedge.Options{Budget: budget})
//
// About one in a hundred requests to an object store takes ten times as long to its first byte as
// the others, and a call with hundreds of requests waits for the slowest. If a Get has no first
// byte after 1.5 times the 95th percentile of its size class, it is sent again. The request whose
// first byte arrives first continues, and the other one is cancelled (Dean and Barroso, "The Tail
// at Scale", CACM 56(2), 2013). A body that is slow after its first byte is not hedged; the stall
// limit handles that.
//
// A second request is sent only under these conditions:
//
//   - The store reports first bytes ([store.Trace]), as network stores do. It has reported 16 first
//     bytes of the size class.
//   - The allowance permits it. Each Get adds 3 % of a request. The allowance starts at 4 and holds
//     at most 16. While it is below 4, second requests wait longer.
//   - Memory for the response and a request slot ([Options].Free) are free immediately.
//   - No request was throttled in the last 5 s.
//   - The median is below 1.5 times its usual value. Otherwise the whole store is slow, and more
//     requests make it slower.
//
// A request that fails these conditions is checked again later.
//
// Package hedge belongs below package retry, because the waits of retry are not slow requests. It
// belongs above package limit, because the second request also takes a slot. Verbs other than Get
// are forwarded unchanged. [store.Trace] reports each second request and whether it was used.
package hedge
