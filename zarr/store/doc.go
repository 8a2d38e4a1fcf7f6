// Package store is the contract between Zarr and whatever holds its bytes.
//
// A [Store] holds values under slash-separated keys. Four verbs are enough for everything Zarr
// does; what some stores can do better is an optional verb ([PageLister], [BatchDeleter],
// [PartPutter], [Copier]), always used through the function of this package that falls back to the
// four verbs ([Pages], [DeleteAll]), or says that another way is needed ([PutParts], [Copy]).
//
//	v, err := st.Get(ctx, "t2m/zarr.json", store.GetOptions{Max: 1 << 20}, nil)
//	_, err = st.Put(ctx, "t2m/c/0/0", chunk, store.PutOptions{IfAbsent: true})
//
// A store reports failures as [*fault.KeyError]. Only a proven absence of the key is
// [fault.NotFound].
//
// Stores live in the packages below: mem, dir, zip and http, and beside package zarr: s3, gcs,
// azure, and blob for any bucket of gocloud.dev. Package openurl opens them by URL. Decorators:
// [Prefix], [ReadOnly], [Observe] here, and [Around] to make one that treats every request alike;
// retry and limit in packages of their own. The Open of s3, gcs, azure and http puts retry around
// limit around the provider, so that a request slot is free while a failed request waits; Observe
// goes around what Open gives. There is no cache of values and no hedging of requests. Package
// storetest holds any store to this contract.
//
// All stores and decorators may be used from any number of goroutines.
package store
