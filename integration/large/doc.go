// Package large tests values that move in parts, against real servers: a shard that a process fills
// within a budget, an upload that is killed and goes on in another process, and a shard that is
// written and read over several connections. ZARGO_LARGE_GIB=6 makes that shard so many GiB; with
// ZARR_GCS_IN_FILES=1 the GCS server keeps it in files, as memory has no room for its parts and
// what is composed of them.
package large
