// Package limit bounds the requests in flight to a store, over all of its users.
//
//	st, err := limit.New(provider, 64)
//
// A slot is held during one request only. It is not held while a reader uses the value, between the
// pages of a listing, or during backoff, as package retry belongs above package limit. A wait for a
// slot ends with the context. First attempts get slots in the order of their calls. Retried
// requests ([store.RepeatOf]) get slots before first attempts, those with most failures first.
//
// Several stores share one bound through [With], and it may be changed while they are in use:
//
//	slots := concurrency.NewSlots(64)
//	a, b := limit.With(east, slots), limit.With(west, slots)
//	slots.Resize(32)
//
// The stores of providers use an adaptive bound instead, a [Bucket], which all stores of a process
// on one bucket share. Its numbers of reads and writes in flight fall when the service refuses
// requests, and rise as long as that increases the throughput. All requests wait if the service
// requests a pause. If a service serves fewer than eight concurrent requests, for example because
// many processes use it, requests are spaced instead. Their rate rises with each served request and
// falls with each refused one. docs/adr/016-adaptive-limits.md and 027-fleets.md have the rules.
// [Numbers] has bounds on requests and bytes per second, and the number of processes that share a
// bucket.
//
// One call of DeleteAll takes one slot, however many requests the store below sends. A listing
// takes one for each page.
//
// # Concurrency
//
// All methods may be called concurrently.
package limit
