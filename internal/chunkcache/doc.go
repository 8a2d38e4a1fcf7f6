// Package chunkcache keeps decoded chunks, indexes of shards, and the absence of objects, in a
// bounded number of bytes. Package zarr/cache is its public interface. Package engine fills and
// reads it.
//
//	e, fresh := c.Object(key)        // its version, or its absence
//	part := c.Part(c.ID(key, e.Pin)) // a chunk, an inner chunk, or an index
//
// Only the entry of an object has a time, that of its last request. Entries of its contents belong
// to one version of the object, its Pin. They are never wrong, and are no longer found once the
// object has another version. So everything read of one shard is of one version, and one conditional
// request makes all of it valid again.
//
// Loads that run when [Reader.Forget] is called are not kept, so a writer reads what it wrote.
//
// Everything in this package is safe for concurrent use. It starts no goroutines.
package chunkcache
