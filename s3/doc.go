// Package s3 opens a bucket of Amazon S3, or of a server that speaks its protocol, as a store.
//
//	st, err := s3.Open(ctx, "s3://era5-pds/zarr?region=us-east-1", s3.Anonymous())
//	a, err := zarr.OpenArray(ctx, st, "2020/t2m")
//
// The bucket is opened by gocloud.dev with its URL parameters, and read and written through the AWS
// SDK's client, but for reads of plain buckets, which are sent without its middleware ([SDKReads]):
//
//   - one request each for whole, ranged and tail reads, puts and deletes; a condition is an If-Match or If-None-Match;
//     a Version is an ETag. A conditional delete is two requests, because many servers ignore its condition.
//   - DeleteObjects for batches, multipart uploads for PutParts (parts of at least 5 MiB), ListObjectsV2 for listings.
//   - as many connections as requests in flight (128, see [MaxInFlight]), over HTTP/1.1 and to all addresses of the
//     endpoint's name; proxies, AWS_CA_BUNDLE and the default credential chain work as everywhere.
//   - a request that stands still for 30 s is given up and tried again ([StallTimeout]); there is no limit on the whole but
//     the context's. Redirects are not followed.
//   - SDK retries are off for object requests, on for credentials. The store has one retry layer of its own ([Retry]). What
//     S3 refuses for credentials that have ended, or for another region, is sent again at once with new ones, or there.
//   - signatures travel over http only within private networks, unless [AllowHTTP] or an [Endpoint] outside the URL says so.
//
// Errors come from S3's own code and status, never from gocloud's. Only a 404 that says NoSuchKey
// is fault.NotFound. A missing bucket, refused credentials, a wrong region, a host name that does
// not exist and a certificate that is not trusted are fault.Refused. A credential service that does
// not answer is fault.Unavailable, and so is an answer that is not S3's (a portal's page with 200,
// an empty 200, a 404 from a proxy). A 409 ConditionalRequestConflict, another writer at the same
// moment, is fault.Unavailable too: the retry layer reads back what became of the write. The SDK's
// error is reachable with errors.As, as smithy.APIError.
//
// A bucket that does not let its reader list answers 403 for an absent key, which is fault.Refused,
// not NotFound.
//
// Not verified on the way: what the server says of a value's version, and a value's bytes unless
// [ChecksumValidation] or a checksum codec is used.
//
// A store may be used from any number of goroutines. See also packages blob, store and retry.
package s3
