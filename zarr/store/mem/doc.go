// Package mem is a store in memory, for tests, examples and caches.
//
//	st := mem.New()
//	_, err := st.Put(ctx, "zarr.json", doc, store.PutOptions{IfAbsent: true})
//
// It does all of the contract and every optional verb. A [store.Version] is a count of writes to
// the store, so it never comes back, not even when a key is deleted and made again. All methods may
// be called concurrently. Values live until the Store is collected; Close drops nothing.
package mem
