// Package chunkcache keeps decoded chunks, indexes of shards, and the knowledge that objects are
// absent, in a bounded number of bytes. Package zarr/cache is what users see of it, and package
// engine what fills and asks it.
//
//	e, fresh := c.Object(key)          // what is known of a stored object: its version, or that there is none
//	part := c.Part(c.ID(key, e.Pin))   // what is kept of that version: the chunk, an inner chunk, an index
//
// Only an object has a time at which it was last looked at. What is kept of its contents belongs to
// one version of it, its Pin, and is never wrong: it is just not found any more once the object has
// another version. So all that is read of one shard is of one version, and one conditional request
// makes all of it valid again.
//
// What was being loaded when [Reader.Forget] is called is not kept, so a writer reads what it
// wrote.
//
// Everything here may be used concurrently. There is no goroutine in the background.
package chunkcache
