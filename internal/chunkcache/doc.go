// Package chunkcache caches decoded chunks, indexes of shards, and the absence of objects, in a
// bounded number of bytes. Package zarr/cache is its public interface. Package engine fills and
// reads it.
//
//	e, fresh := c.Object(key)        // its version, or its absence
//	part := c.Part(c.ID(key, e.Pin)) // a chunk, an inner chunk, or an index
//
// Only the entry of an object has a time, that of its last request. Entries of its parts belong to
// one version of the object, identified by its Pin. Once the object has another version, these
// entries are no longer found. Therefore all parts of a shard that a reader finds are of one
// version, and one conditional request revalidates all of them.
//
// Loads that run when [Reader.Forget] is called are not cached, so a writer reads what it wrote.
//
// Everything in this package is safe for concurrent use. It starts no goroutines.
package chunkcache
