// Package cache keeps decoded chunks in memory, up to a number of bytes, for any number of arrays
// and stores.
//
//	c := cache.New(1<<30, cache.Revalidate(time.Minute))
//	a, err := zarr.OpenArray(ctx, st, "air/t2m", zarr.Cache(c))
//
// A cache keeps chunks, inner chunks and indexes of shards. It also remembers which objects the
// store has proven to be absent. It does not keep errors or metadata. A read of a valid entry sends
// no request.
//
// The argument of [New] sets how long an entry is valid: [Immutable], or [Revalidate] with a time.
// A write or delete by this process, through any array or group, immediately invalidates the
// entries that it affects, so a program reads the values that it wrote. docs/tasks/caching.md has
// the details.
//
// # Concurrency
//
// Everything in this package is safe for concurrent use. If several goroutines need the same entry,
// it is requested and decoded once. The request continues as long as one of these goroutines waits
// for it.
package cache
