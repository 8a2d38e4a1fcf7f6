// Package gcs opens a bucket of Google Cloud Storage as a store.
//
//	st, err := gcs.Open(ctx, "gs://gcp-public-data-arco-era5/ar", gcs.Anonymous())
//	a, err := zarr.OpenArray(ctx, st, "2020/t2m")
//
// The bucket is gocloud.dev's, and what it does better than gocloud's portable form goes through
// the SDK's client:
//
//   - one request each for whole, ranged and tail reads, puts and deletes. A Version is a generation, and a condition is
//     ifGenerationMatch, never generation=: an object that was replaced is a conflict, not an absent key. A conditional
//     delete is two requests, because emulators ignore its condition.
//   - puts send the caller's bytes without the SDK's buffer of 16 MiB, with a CRC32C that the server compares.
//   - values are read as they are stored: one with Content-Encoding gzip is not unpacked on the way.
//   - HTTP/1.1, with as many connections as requests in flight (128, see [MaxInFlight]): over HTTP/2 everything
//     shares one connection.
//   - a request that stands still for 30 s is given up and tried again ([StallTimeout]); there is no limit on the whole but
//     the context's. Redirects are not followed.
//   - credentials go to Google's hosts, this machine, and what something other than the URL names ([Endpoint],
//     [TrustHost]); their tokens can read and write objects and nothing else, or read only ([ReadOnly]).
//   - of the writers that race for one object GCS refuses the losers with 429: with a condition that is read back and
//     becomes fault.Conflict or fault.Exists, and the object is left alone for a second.
//   - the SDK's retries are off, the silent ones in the middle of a value too. The store has one retry layer ([Retry]).
//
// Errors come from GCS's own document, never from gocloud's code nor from the SDK's
// ErrObjectNotExist, which is said of a missing bucket as well. A 404 is fault.NotFound if it names
// the object (NoSuchKey, "No such object"), fault.Refused if it names the bucket. A 404 that names
// neither, as emulators answer, is followed by a listing of that one key: a listing that works and
// does not hold it proves absence. 401, 403, a host name that does not exist and a certificate that
// is not trusted are fault.Refused. An answer that is not GCS's (a portal's page with 200, an empty
// 200, a value without a generation, a redirect) is fault.Unavailable. The *googleapi.Error is
// reachable with errors.As.
//
// A bucket that does not let its reader list answers 403 for an absent key, which is fault.Refused,
// not NotFound.
//
// A service for tokens that cannot be reached is fault.Unavailable, as the bucket is, and a token
// that is refused with 401 is replaced once.
//
// A client or a bucket that exists is used by [Client] and [FromBucket].
//
// Many keys are deleted in batches of 100, except through a client of the caller's. One put may
// hold 5 TiB. The parts of a value (store.PutParts) are objects in a folder beside the key,
// ".zargo-tmp-…", which are joined on the server by the condition. Listings leave them out, and no
// key may have such a name (fault.Path). A lifecycle rule on the suffix ".zargo-part" removes what
// killed programs left.
//
// A store may be used from any number of goroutines. See also packages blob, s3, store and retry,
// and docs/tasks/gcs.md.
package gcs
