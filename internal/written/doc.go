// Package written passes on which stored values a process writes and deletes, from the stores that
// do it to the caches that hold what was read of them.
//
//	st := written.Around(user)                      // as every array and group has its store
//	site := written.Process().Listen(id, place, f)  // f is called for each change at the place
//
// A [Store] reports each request that may change a value twice: before it is made and when it is
// over, however it ends. A cache that drops what it has of the key at both times, and what is being
// loaded meanwhile, has nothing afterwards that is older than the write.
//
// Stores and caches meet by [store.Place]: it does not matter which store value, prefix or
// decorator a request was made through. The document of an array or a group stands for all keys
// below it when it is created or deleted: what was known of these belongs to another node.
//
// Everything here may be used concurrently. There is no goroutine in the background.
package written
