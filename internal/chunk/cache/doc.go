// Package cache caches decoded chunks, indexes of shards, and the absence of objects, in a
// bounded number of bytes. Package zarr/cache is its public interface. Package engine fills and
// reads it.
//
//	e, fresh := c.Object(key)        // its version, or its absence
//	part := c.Part(c.ID(key, e.Pin)) // a chunk, an inner chunk, or an index
//
// The entry of an object has the time of the last request for the object. Entries of parts have no
// time. They belong to one version of the object, which its Pin identifies, and are no longer found
// once the object has another version. Therefore all parts of a shard that a reader finds are of
// one version, and one conditional request revalidates all parts.
//
// Loads that run when [Reader.Forget] is called are not cached, so a writer reads the values that
// it has written.
//
// Everything in this package is safe for concurrent use. The package starts no goroutines.
package cache
