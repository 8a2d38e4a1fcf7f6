// Package blob makes any gocloud.dev bucket a store, by the portable API or by hooks.
//
//	bucket, err := gcblob.OpenBucket(ctx, "mem://")
//	st := blob.New(bucket, blob.TrustNotFound())
//	a, err := zarr.OpenArray(ctx, st, "t2m")
//
// A bare bucket gives the portable form: everything works except what the portable API cannot
// express. Its limits:
//
//   - no versions: Get and Put return Version "", and IfVersion and IfNotVersion are errors.ErrUnsupported. Arrays are
//     read and written whole-chunk; what needs compare-and-swap is refused before anything is written (store.Conditions).
//   - Last (the tail of a value) costs a second request, for the size.
//   - no batch delete and no parts, and one or two requests for each Delete, as the driver pleases.
//   - IfAbsent is as good as the driver's: fileblob's lets several writers win, so give [NoIfAbsent] with it. For a
//     directory, package dir is the better store: fileblob also lets a reader see half of a replacement.
//   - keys that gocloud's drivers store under another name, such as "a__0x2f__b" or "a../b", are refused with fault.Path
//     ([PortableKey]). Names that only one driver rewrites (Azure: " # % ?) are up to [CheckKeys].
//   - a key that another program stored with such an escape in its name is listed under the decoded name.
//
// gocloud's NotFound is not believed: its drivers also say it for a refused request, a bucket that
// is not there and a host name that does not resolve, and an absent chunk reads as the fill value.
// Unless the driver is known to be right ([TrustNotFound] for memblob and fileblob, [Classify] for
// others), the store lists the key before it calls it absent: a listing that succeeds without the
// key proves absence, at one more request for each absent key.
//
// A provider package does better by filling in [Hooks]: a verb with a hook goes around the portable
// API. Packages s3, gcs and azure fill in every verb that this package has a portable form of.
// Their hooks send requests by the SDK's client, because the portable calls cannot say a version,
// ask for more or cost more: docs/providers.md has the figures for each. What they have of the
// bucket is its place in [store.As] and its Close; what they have of this package are the checks of
// keys, ranges and conditions before a hook, and the errors after it.
//
// For a bucket of S3, Google or Azure that gocloud has opened, s3.FromBucket, gcs.FromBucket and
// azure.FromBucket are the better New: they take the SDK's client out of it and keep versions,
// conditions and the provider's numbers.
//
// A Store may be used from any number of goroutines. Errors are *fault.KeyError; see package store
// for the kinds. See also packages s3 and store.
package blob
