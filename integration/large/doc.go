// Package large tests values that are transferred in parts, against real servers: a shard that a
// process fills within a memory budget, an upload that is killed and continued by another process,
// and a shard that is written and read over several connections. The variable ZARGO_LARGE_GIB sets
// the size of the last shard in GiB. For large shards also set ZARR_GCS_IN_FILES=1. The GCS server
// then stores objects in files, because the parts and the joined objects do not fit in memory.
package large
