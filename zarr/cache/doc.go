// Package cache keeps decoded chunks in memory, within a number of bytes, for any number of arrays,
// stores and goroutines.
//
//	c := cache.New(1<<30, cache.Revalidate(time.Minute))
//	a, err := zarr.OpenArray(ctx, st, "air/t2m", zarr.Cache(c))
//
// A cache keeps chunks, inner chunks and indexes of shards, and that objects are absent where the
// store has proven it. A read of what is there makes no request. What several goroutines want at
// once is requested and decoded once; that goes on as long as one of them waits for it. Errors are
// not kept.
//
// How long an entry is believed is an argument of [New]: [Immutable], or [Revalidate] with a time.
// What the process itself writes or deletes, through any array or group, is forgotten at once, so a
// program reads what it wrote. See docs/how-to/caching.md for what exactly is promised.
package cache
