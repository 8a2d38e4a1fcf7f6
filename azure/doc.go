// Package azure opens a container of Azure Blob Storage, or of the emulator Azurite, as a store.
//
//	st, err := azure.Open(ctx, "azblob://weather/zarr?storage_account=myaccount")
//	a, err := zarr.OpenArray(ctx, st, "2020/t2m")
//
// The container is opened by gocloud.dev, whose URL parameters and environment variables are
// supported. The Azure SDK's client sends the requests. To use an existing client or bucket, see
// [Client] and [FromBucket].
//
// # Requests
//
//   - Whole and range reads, puts and deletes are one request each. A condition is an If-Match or
//     If-None-Match header; a Version is an ETag.
//   - A suffix read is two requests, because Azure lacks suffix ranges: one for the size, and a
//     conditional read of the same version. Sizes are cached, so a suffix read is one request if
//     the value was written or listed, or its suffix read, before. After 128 suffix reads of values
//     with a common prefix whose sizes are unknown, one of them lists the prefix.
//   - PutParts uses block lists, with any part size. Listings return 5000 entries per page. Batch
//     deletes send 256 keys per request.
//   - Each put and each part carries a CRC64 (MD5 for hosts outside Azure, such as Azurite), which
//     the server verifies. With [VerifyReads], reads are verified too.
//   - Identity and SAS tokens are sent to Azure's hosts, to this machine, and to hosts configured
//     outside the URL ([Domain], [TrustHost]).
//   - The store opens as many connections as it has requests in flight (128, see [MaxInFlight]).
//     Proxies are supported.
//   - A request that transfers no byte for 30 s fails and is retried, see [StallTimeout]. Only the
//     context limits the total time. Redirects are not followed.
//   - The SDK's retries are disabled for blob requests and enabled for tokens. The store has its
//     own retry layer, see [Retry].
//
// # Keys
//
// Keys are stored unchanged. The characters quotation mark, number sign, percent sign and question
// mark are not escaped, unlike in gocloud's driver. A key with a segment that ends with a dot
// returns fault.Path, because Azure drops the dot. Directories of a hierarchical namespace (Data
// Lake) are not values: listings omit them, and reading a directory returns fault.NotFound.
//
// # Errors
//
// Errors are derived from the code of Azure's response. Only a 404 with the code BlobNotFound is
// fault.NotFound. A missing container, rejected credentials, an unknown host name, an untrusted
// certificate, a lease and existing snapshots are fault.Refused. A response that is not from Azure
// (a captive portal's page with status 200, an empty 200, a proxy's 404) is fault.Unavailable. An
// unreachable token service is fault.Unavailable too. After a 401 the request is sent again with a
// new token. errors.As finds the SDK's error as *azcore.ResponseError.
//
// # Concurrency
//
// A store is safe for concurrent use. See also packages blob, store and retry.
package azure
