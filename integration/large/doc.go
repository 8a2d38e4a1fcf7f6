// Package large tests values that are transferred in parts, against real servers: a shard that a
// process fills within a memory budget, an upload that is killed and continued by another process,
// and a shard that is written and read over several connections. ZARGO_LARGE_GIB=6 sets the size of
// that shard in GiB. With ZARR_GCS_IN_FILES=1 the GCS server stores objects in files, because its
// parts and the joined objects do not fit in memory.
package large
