// Package limit limits the number of requests in flight to a store, counted over all users of the
// store.
//
//	st := limit.New(provider, limit.Options{InFlight: 64})
//
// A slot is held only during one request. It is not held while a reader uses the value or between
// the pages of a listing. Package retry belongs above package limit, so that no slot is held while
// a failed request waits for its retry. A wait for a slot ends with the context. First attempts get
// slots in the order of their calls. Retried requests ([store.RepeatOf]) get slots before first
// attempts, and those with the most failures first.
//
// Several stores share one limit through the Slots of [Options], and it may be changed while they
// are in use:
//
//	slots := concurrency.NewSlots(64)
//	a := limit.New(east, limit.Options{Slots: slots})
//	b := limit.New(west, limit.Options{Slots: slots})
//	slots.Resize(32)
//
// The stores of providers use an adaptive limit, a [Bucket]. All stores of a process on one bucket
// share it. The numbers of reads and writes in flight fall when the service refuses requests, and
// rise as long as the throughput rises with them. All requests pause if the service requests a wait
// (Retry-After) and serves none of them. If a service serves fewer than eight concurrent requests,
// for example because many processes use it, requests are spaced instead. Their rate rises with
// each served request and falls with each refused one. If the service refuses the requests of one
// directory more often than others, that directory has limits of its own.
// docs/adr/016-adaptive-limits.md and docs/adr/027-fleets.md document the rules. [BucketOptions]
// has limits on requests and bytes per second, and the number of processes that share a bucket.
//
// One call of DeleteAll takes one slot, even if the store below sends several requests. A listing
// takes one slot for each page.
//
// # Concurrency
//
// All methods may be called concurrently.
package limit
