// Package s3 opens a bucket of Amazon S3, or of a server with a compatible API, as a store.
//
//	st, err := s3.Open(ctx, "s3://era5-pds/zarr?region=us-east-1", s3.Anonymous())
//	a, err := zarr.OpenArray(ctx, st, "2020/t2m")
//
// The bucket is opened by gocloud.dev, whose URL parameters are supported. The client of the AWS
// SDK sends the requests. Reads of plain buckets bypass the SDK's middleware, see [SDKReads].
//
// # Requests
//
//   - Whole, range and suffix reads and puts are one request each. A condition is an If-Match or
//     If-None-Match header; a Version is an ETag. A conditional delete is two requests, because
//     many servers ignore its condition.
//   - Batch deletes use DeleteObjects, PutParts uses multipart uploads (parts of at least 5 MiB),
//     and listings use ListObjectsV2.
//   - The store opens as many HTTP/1.1 connections as it has requests in flight (128, see
//     [MaxInFlight]), to all addresses of the endpoint's name. Proxies, AWS_CA_BUNDLE and the
//     default credential chain work as in the SDK.
//   - A request that transfers no byte for 30 s fails and is retried, see [StallTimeout]. Only the
//     context limits the total time. Redirects are not followed.
//   - The SDK's retries are disabled for object requests and enabled for credentials. The store has
//     its own retry layer, see [Retry]. If S3 rejects a request because of expired credentials or a
//     wrong region, the store sends it again immediately with new credentials or to the right
//     region.
//   - Signed requests use http only within private networks, unless [AllowHTTP] or an [Endpoint]
//     outside the URL allows it.
//
// # Errors
//
// Errors are derived from the code and status of S3's response. Only a 404 with the code NoSuchKey
// returns fault.NotFound. A missing bucket, rejected credentials, a wrong region, an unknown host
// name and an untrusted certificate return fault.Refused. A credential service that does not
// respond is fault.Unavailable. A response that is not from S3, such as a captive portal's page
// with status 200, an empty 200 or a proxy's 404, is fault.Unavailable too. So is a 409
// ConditionalRequestConflict, which a concurrent writer causes: the retry layer reads the key to
// find out whether the write took place. errors.As finds the SDK's error as smithy.APIError.
//
// If the caller may not list the bucket, S3 responds to a read of an absent key with 403. The read
// then returns fault.Refused, not fault.NotFound.
//
// The bytes of a value are verified only with [ChecksumValidation] or a checksum codec.
//
// # Concurrency
//
// A store is safe for concurrent use. See also packages blob, store and retry.
package s3
