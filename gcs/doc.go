// Package gcs opens a bucket of Google Cloud Storage as a store.
//
//	st, err := gcs.Open(ctx, "gs://gcp-public-data-arco-era5/ar", gcs.Anonymous())
//	a, err := zarr.OpenArray(ctx, st, "2020/t2m")
//
// The bucket is opened by gocloud.dev. The SDK's client sends the requests, including those that
// gocloud's portable API does not support. To use an existing client or bucket, see [Client] and
// [FromBucket].
//
// # Requests
//
//   - Whole, range and suffix reads, puts and deletes are one request each. A Version is a
//     generation. A condition is sent as ifGenerationMatch and never as generation=, so that a
//     replaced object is a conflict and not an absent key. A conditional delete is two requests,
//     because emulators ignore its condition.
//   - A put sends the caller's bytes without the SDK's buffer of 16 MiB, and a CRC32C that the
//     server verifies. A value may have up to 5 TiB.
//   - Values are read as stored: a value with Content-Encoding gzip is not decompressed.
//   - The store opens as many HTTP/1.1 connections as it has requests in flight (128, see
//     [MaxInFlight]). Over HTTP/2 all requests would share one connection.
//   - A request that transfers no byte for 30 s fails and is retried, see [StallTimeout]. Only the
//     context limits the total time. Redirects are not followed.
//   - Credentials are sent to Google's hosts, to this machine, and to hosts configured outside the
//     URL ([Endpoint], [TrustHost]). The scope of tokens is limited to reads and writes of objects,
//     or to reads with [ReadOnly].
//   - When writers compete for one object, GCS rejects all but one with 429. If a rejected write
//     was conditional, the store reads the object and returns fault.Conflict or fault.Exists. For
//     at least a second after that, the store sends no other change of the object.
//   - The SDK's retries are disabled, including those in the middle of a value. The store has its
//     own retry layer, see [Retry].
//   - Batch deletes send 100 keys per request, except through a client of the caller.
//   - The parts of a value (PutParts) are objects in a directory ".zargo-tmp-…" beside the key. The
//     server joins them, conditionally if requested. Listings omit them, and a key with such a name
//     returns fault.Path. A lifecycle rule on the suffix ".zargo-part" removes the parts left by
//     killed programs.
//
// # Errors
//
// Errors are derived from the body of GCS's response. The package does not use gocloud's codes or
// the SDK's ErrObjectNotExist, which the SDK also returns for a missing bucket. A 404 is
// fault.NotFound if its body names the object (NoSuchKey, "No such object"), and fault.Refused if
// the body names the bucket. Emulators send a 404 that names neither. The store then lists that one
// key: a successful listing without the key proves that it is absent.
//
// 401, 403, an unknown host name and an untrusted certificate are fault.Refused. A response that is
// not from GCS (a captive portal's page with status 200, an empty 200, a value without a
// generation, a redirect) is fault.Unavailable. An unreachable token service is fault.Unavailable
// too. After a 401 the request is sent again with a new token. errors.As finds the
// *googleapi.Error.
//
// If the caller may not list the bucket, GCS responds to a read of an absent key with 403. The read
// then returns fault.Refused, not fault.NotFound.
//
// # Concurrency
//
// A store is safe for concurrent use. See also packages blob, s3, store and retry, and
// docs/tasks/gcs.md.
package gcs
