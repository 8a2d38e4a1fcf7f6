// Package redis is an example of a store in a server with scripts: Redis, for data that fits in
// memory.
//
//	st, err := redis.Open(ctx, goredis.Options{Addr: "127.0.0.1:6379"}, "era5")
//	retried, err := retry.New(st)
//	a, err := zarr.OpenArray(ctx, retried, "t2m")
//
// The value of a key is the string {era5}:v:KEY, which begins with its version. The sorted set
// {era5}:k contains all keys. Redis runs one script at a time, so a script that compares the
// version and writes is a conditional Put. The braces keep a store on one node of a cluster.
//
// A listing reads the sorted set, in byte order and from any key. SCAN would visit all keys of the
// server, in no order, and may return a key twice.
//
// A version is random, because a counter could return to an earlier number when a server fails and
// loses its last writes. The server must not evict keys: an evicted chunk would read as fill
// values. Open disables the retries of go-redis, which would turn the success of a conditional Put
// into a conflict. Package retry repeats requests correctly.
package redis
