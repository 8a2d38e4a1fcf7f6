// Package cache keeps decoded chunks in memory, within a number of bytes, for any number of arrays, stores and goroutines.
//
//	c := cache.New(1<<30, cache.Revalidate(time.Minute))
//	a, err := zarr.OpenArray(ctx, st, "air/t2m", zarr.Cache(c))
//
// A cache keeps chunks, inner chunks and indexes of shards, and that objects are absent where the store has proven it. A read of what is there
// makes no request. What several goroutines want at once is requested and decoded once; that goes on as long as one of them waits for
// it. Errors are not kept.
//
// How long an entry is believed is said when the cache is made: [Immutable], or [Revalidate] with a time. What is written through an array
// that has the cache is forgotten at once, and so a program reads what it wrote. See docs/how-to/caching.md.
package cache
