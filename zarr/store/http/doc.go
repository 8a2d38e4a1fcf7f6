// Package http reads what any web server serves as a store.
//
//	st, err := http.Open(ctx, "https://host/path/root.zarr")
//	a, err := zarr.OpenArray(ctx, st, "t2m")
//
// The URL's parameters, such as those of a presigned URL, go with each request and are never
// printed. Requests are GETs.
//
// What a server says is believed only when it can be meant:
//
//   - 404 and 410 are fault.NotFound, nothing else is. 401, 403, a host name that does not exist and a certificate that is
//     not trusted are fault.Refused, 429 and 503 fault.Throttled with their Retry-After; a server that fails or cannot be
//     reached is fault.Unavailable.
//   - text/html for a key that does not end in .html or .htm is a page about something else (a login, an error sent as
//     200): fault.Unavailable. So is an empty zarr.json, .zarray, .zgroup, .zattrs or .zmetadata.
//   - A server that ignores ranges sends all of the value: it is cut to size when its length is announced and at most
//     32 MiB have to be skipped, else it is fault.Unavailable.
//   - A Content-Encoding is errors.ErrUnsupported: what would arrive is not what is stored. None is asked for.
//   - A body shorter than announced is fault.Unavailable with a *store.TruncatedError. One without a length is taken where the
//     protocol marks its end.
//   - A request that stands still for 30 s is given up as fault.Unavailable ([StallTimeout]); there is no limit on the whole but the
//     context's.
//
// A Version is a strong ETag. A weak one, or Last-Modified with its seconds, could name two values;
// without a strong one the Version is empty and a pinned read is errors.ErrUnsupported. nginx makes
// its strong ETag of a file's size and time in whole seconds all the same: two values of one size,
// written within one second, have the same Version there.
//
// Redirects are followed, but not from https to http. Another host gets none of the caller's
// headers and no Referer. A program that opens URLs of others gives [PublicOnly], so that neither
// they nor redirects lead into its own network.
//
// The store takes no writes (fault.ReadOnly) and has no listing (errors.ErrUnsupported): a
// hierarchy with consolidated metadata needs none. It may be used from any number of goroutines.
package http
