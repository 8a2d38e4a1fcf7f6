// Package store defines the interface between Zarr and the systems that store its bytes.
//
// A [Store] holds values under slash-separated keys. Its four verbs suffice for everything that
// Zarr does. Stores may also implement optional verbs ([PageLister], [BatchDeleter], [PartPutter],
// [Copier]). Call optional verbs through the functions of this package. [Pages] and [DeleteAll]
// fall back to the four verbs; [PutParts] and [Copy] return errors.ErrUnsupported.
//
//	v, err := st.Get(ctx, "t2m/zarr.json", store.GetOptions{Max: 1 << 20}, nil)
//	_, err = st.Put(ctx, "t2m/c/0/0", chunk, store.PutOptions{IfAbsent: true})
//
// The packages mem, dir, zip and http below this directory implement stores. So do the packages s3,
// gcs, azure and blob at the root of the module; package blob supports any bucket of gocloud.dev.
// Package openurl opens stores of all these packages by URL. Package storetest tests any store
// against this contract. The directory examples/stores has stores in bbolt, Redis and MongoDB.
//
// # Decorators
//
// [Prefix], [ReadOnly] and [Observe] decorate a store. [Around] makes decorators that treat all
// requests alike, and [Forward] makes decorators that change single verbs. The Open functions of
// s3, gcs, azure and http decorate the provider with the packages large, retry, hedge (optional)
// and limit, outermost first. Because limit is the innermost, a failed request that waits for its
// retry holds no request slot. Apply Observe to the store that Open returns. A cache of decoded
// chunks is not a decorator; see package zarr/cache.
//
// # Errors
//
// A store reports failures as [*fault.KeyError]. [fault.NotFound] means that the key is proven
// absent.
//
// # Concurrency
//
// All stores and decorators are safe for concurrent use.
package store
