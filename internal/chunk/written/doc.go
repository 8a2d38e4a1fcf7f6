// Package written notifies caches of stored values when the process writes or deletes these values.
//
//	st := written.Around(user)                      // every array and group uses such a store
//	site := written.Process().Listen(id, place, f)  // f is called for each change at the place
//
// A [Store] reports each request that may change a value twice: before the request, and when it
// ends with or without an error. At each report a cache must drop the value, and discard the
// results of loads of the value that are in progress. The cache then never contains a value that is
// older than the write.
//
// Stores and caches are matched by [store.Place], so a request is reported whichever store value,
// prefix or decorator it passes through. If the document of an array or a group is created or
// deleted, all keys below the node are reported, since their values now belong to another node.
//
// The package is safe for concurrent use and starts no goroutines.
package written
