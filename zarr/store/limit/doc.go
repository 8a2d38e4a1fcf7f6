// Package limit bounds the requests that a store has in flight, over everything that uses it.
//
//	st, err := limit.New(provider, 64)
//
// A slot is held around one request and nothing else: not while a reader looks at what it got, not
// between the pages of a listing, and, with retry outside of limit as it should be, not while
// backing off. Waiting ends with the context, and first tries get slots in the order they were
// asked for. Several stores share one bound through [With], and the number may change while they
// are used:
//
//	slots := concurrency.NewSlots(64)
//	a, b := limit.With(east, slots), limit.With(west, slots)
//	slots.Resize(32)
//
// A request that is repeated by package retry ([store.RepeatOf]) has its slot before first tries,
// the one that failed most often first.
//
// That is for a number that stays. The providers' stores use a [Bucket], which all stores of a
// process on one bucket share: its number of reads and of writes in flight falls when the service
// refuses requests, rises while throughput rises with it, and all wait when the service says how
// long to. Where a service takes fewer than eight requests at once, as from each of many processes,
// requests are spaced instead, at a pace that rises with each that is served and falls with each
// that is refused. docs/adr/016-adaptive-limits.md and 027-fleets.md have the rules. [Numbers] has
// bounds of the requests and of the bytes in a second, and the number of processes that share a
// bucket.
//
// One call of DeleteAll takes one slot, whatever the store below makes of it. A listing takes one
// for each page. All methods may be called concurrently.
package limit
