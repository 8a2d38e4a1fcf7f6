// Package azure opens a container of Azure Blob Storage, or of the emulator Azurite, as a store.
//
//	st, err := azure.Open(ctx, "azblob://weather/zarr?storage_account=myaccount")
//	a, err := zarr.OpenArray(ctx, st, "2020/t2m")
//
// The container is opened by gocloud.dev with its URL parameters and variables, and read and
// written through the Azure SDK's client:
//
//   - one request each for whole and ranged reads, puts and deletes; a condition is an If-Match or If-None-Match; a
//     Version is an ETag.
//   - a tail is two requests, because Azure has no ranges from the end: one for the size, and the read pinned to the
//     version that has it. Sizes are remembered, so a tail of a value written or read before is one request.
//   - block lists for PutParts, of any part size; List Blobs with 5000 entries a page. many keys are deleted in batches of 256.
//   - a CRC64 with every put and every part (MD5 for hosts that are not Azure's, such as Azurite), compared by the server;
//     reads are compared with [VerifyReads].
//   - identity and SAS tokens go to Azure's hosts, this machine, and what something other than the URL names ([Domain],
//     [TrustHost]).
//   - as many connections as requests in flight (128, see [MaxInFlight]); proxies work as everywhere.
//   - a request that stands still for 30 s is given up and tried again ([StallTimeout]); there is no limit on the whole but
//     the context's. Redirects are not followed.
//   - SDK retries are off for blob requests, on for tokens. The store has one retry layer of its own ([Retry]).
//
// Errors come from Azure's own code, never from gocloud's. Only a 404 that says BlobNotFound is
// fault.NotFound. A missing container, refused credentials, a host name that does not exist, a
// certificate that is not trusted, a lease and a snapshot in the way are fault.Refused. An answer
// that is not Azure's (a portal's page with 200, an empty 200, a 404 from a proxy) is
// fault.Unavailable. The SDK's error is reachable with errors.As, as *azcore.ResponseError.
//
// Keys are stored as they are, also those with " # % ? in them, which gocloud's driver would
// rewrite. A key with a segment that ends with a dot is fault.Path, because Azure drops that dot.
// Folders of a hierarchical namespace (Data Lake) are not values: they are not listed, and reading
// one is fault.NotFound.
//
// A service for tokens that cannot be reached is fault.Unavailable, as the container is, and a
// token that is refused with 401 is replaced once.
//
// A client or a bucket that exists is used by [Client] and [FromBucket].
//
// A store may be used from any number of goroutines. See also packages blob, store and retry.
package azure
