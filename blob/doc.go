// Package blob provides stores on gocloud.dev buckets. A store uses the portable API of the bucket,
// or hooks that replace it.
//
//	bucket, err := gcblob.OpenBucket(ctx, "mem://")
//	st := blob.New(bucket, blob.TrustNotFound())
//	a, err := zarr.OpenArray(ctx, st, "t2m")
//
// For a bucket of S3, Google or Azure, use s3.FromBucket, gcs.FromBucket or azure.FromBucket
// instead of New. These functions use the bucket's SDK client and support versions, conditions and
// the provider's settings.
//
// # Limits of the portable API
//
// Without hooks a store supports the operations of the portable API, with these limits:
//
//   - Versions are not supported: Get and Put return Version "", and IfVersion and IfNotVersion
//     return errors.ErrUnsupported. Arrays can be read and written in whole chunks. Operations that
//     need compare-and-swap fail before they write anything, see store.Conditions.
//   - A suffix read needs a second request, for the size.
//   - Batch deletes and parts are not supported. A Delete is one or two requests, depending on the
//     driver.
//   - IfAbsent depends on the driver. With fileblob several concurrent writers can succeed, so use
//     [NoIfAbsent]. For directories prefer package dir, because with fileblob a reader may also see
//     a half-written value.
//   - Keys that gocloud's drivers store under another name, such as "a__0x2f__b" or "a../b", return
//     fault.Path, see [PortableKey]. Keys that only one driver rewrites (Azure: " # % ?) need
//     [CheckKeys].
//   - A key that another program stored with such an escape sequence is listed under the decoded
//     name.
//
// # Absent keys
//
// An absent chunk reads as the fill value, so absence must be proven. NotFound of gocloud does not
// prove it: drivers also return NotFound for a rejected request, a missing bucket and an unknown
// host name. After NotFound the store therefore lists the key: a successful listing without the key
// proves that it is absent. This takes one more request per absent key. For drivers whose NotFound
// is reliable, use [TrustNotFound] (memblob and fileblob) or [Classify].
//
// # Hooks
//
// A provider's package replaces methods of the store with [Hooks], which bypass the portable API.
// Packages s3, gcs and azure replace all portable methods. Their hooks use the SDK's client,
// because the portable calls lack versions, send more requests or cost more; docs/providers.md has
// the measurements. The bucket is still used for [store.As] and Close. This package checks keys,
// ranges and conditions before it calls a hook, and converts the errors of the hook.
//
// # Errors
//
// Errors are of type *fault.KeyError. Package store documents their kinds.
//
// # Concurrency
//
// A Store is safe for concurrent use. See also packages s3 and store.
package blob
