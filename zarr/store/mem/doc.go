// Package mem is a store in memory, for tests, examples and caches.
//
//	st := mem.New()
//	_, err := st.Put(ctx, "zarr.json", doc, store.PutOptions{IfAbsent: true})
//
// It implements every optional verb of package store. A [store.Version] is a count of writes to the
// store, so versions are never reused, even if a key is deleted and written again. Values exist
// until the Store is garbage collected, even after Close.
//
// # Concurrency
//
// All methods may be called concurrently.
package mem
