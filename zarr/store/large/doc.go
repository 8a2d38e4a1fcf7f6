// Package large transfers large values over several connections. One connection to an object store
// transfers 60 to 85 MB/s, even on a faster network. In one request a value of 1 GiB takes 12 s,
// and must be read from the start again if the request fails.
//
//	st := large.New(provider, large.Options{})
//
// A Get of more than SplitAbove bytes becomes concurrent requests for ranges of one version of the
// value. The ranges are received directly in the caller's buffer. A Put of at least PartAbove bytes
// is sent as concurrent parts, which are slices of the caller's bytes. A commit then makes the
// parts the value of the key in one step, subject to the condition of the Put. Requests for smaller
// values are not changed. Stores opened by the packages s3, gcs and azure include this layer, with
// the settings of their [store.Tuning].
//
// Package large belongs above package retry, so that only the failed range or part is sent again.
// It belongs above package limit, so that each range and each part takes a request slot.
//
// # Reads
//
// The length of a whole value is unknown before the first response. If the response announces more
// than SplitAbove bytes, its body is not read. The ranges are then requested concurrently at the
// announced version ([store.TooLong]). The announcement costs one additional request and its
// latency. A [store.Within] with a version is split immediately.
//
// Bytes of different versions are never mixed. If the value is replaced during the read, or if the
// store lacks versions, the whole value is read again in one request. Stores such as GCS verify a
// checksum of the whole value only. It is not verified for ranges.
//
// # Writes
//
// If a Put fails, its parts are removed, unless the process dies. [Upload] leaves the parts in
// place, and another process can continue with their token.
//
// # Concurrency
//
// All methods may be called concurrently.
package large
