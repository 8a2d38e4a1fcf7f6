// Package http is a read-only store of files that a web server serves.
//
//	st, err := http.Open(ctx, "https://host/path/root.zarr")
//	a, err := zarr.OpenArray(ctx, st, "t2m")
//
// The query parameters of the URL, such as those of a presigned URL, are sent with each request and
// never printed. All requests have the method GET. Writes return fault.ReadOnly. Listings return
// errors.ErrUnsupported. A hierarchy with consolidated metadata can be read without listings.
//
// # Responses
//
// A response is accepted only if it can be the value:
//
//   - Only 404 and 410 are fault.NotFound. 401, 403, an unknown host name and an untrusted
//     certificate are fault.Refused. With [ForbiddenIsAbsent] 403 is fault.NotFound too. 429 and 503 are fault.Throttled with their Retry-After. Other
//     server errors and failures to connect are fault.Unavailable.
//   - A response of text/html for a key that does not end in .html or .htm is a page, such as a
//     login or an error that was sent with status 200. It is fault.Unavailable. An empty zarr.json,
//     .zarray, .zgroup, .zattrs or .zmetadata is also fault.Unavailable.
//   - A server that ignores ranges sends the whole value. The store extracts the range if the
//     length of the value is announced and at most 32 MiB precede the range. Otherwise the response
//     is fault.Unavailable.
//   - Requests have the header Accept-Encoding: identity. If a server nevertheless sends a
//     Content-Encoding of gzip, the store decodes the body. GetOptions.Max limits the decoded bytes.
//     For a range the store then reads the whole value and extracts the range, if at most 32 MiB
//     precede the range or, for a range at the end, the value has at most 32 MiB. Other encodings
//     are errors.ErrUnsupported.
//   - A body shorter than announced is fault.Unavailable with a *store.TruncatedError. A body
//     without a length is accepted if the protocol marks its end.
//   - A request without progress for 30 s is fault.Unavailable ([StallTimeout]). Only the context
//     limits the duration of a whole request.
//
// # Versions
//
// A Version is a strong ETag. Weak ETags and Last-Modified are not used, because two values may
// have the same: Last-Modified, for example, has a resolution of one second. Without a strong ETag
// the Version is empty, and a read with a condition on the Version returns errors.ErrUnsupported.
// nginx makes a strong ETag from the size of a file and its time in whole seconds. With nginx two
// values of the same size that were written within one second therefore have the same Version.
//
// # Redirects
//
// Redirects are followed, except from https to http. Requests that are redirected to another host
// contain neither the caller's headers nor a Referer. Programs that open URLs of others should use
// [PublicOnly], so that neither the URLs nor redirects reach the program's own network.
//
// # Concurrency
//
// A store is safe for concurrent use.
package http
