// Package large tests values that move in parts, against real servers: an upload that is killed and goes on in another process, and a shard that
// is written and read over several connections. ZARGO_LARGE_GIB=6 makes that shard so many GiB.
package large
