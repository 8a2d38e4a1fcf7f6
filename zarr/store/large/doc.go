// Package large transfers large values over several connections. One connection to an object store
// transfers 60 to 85 MB/s, even on a faster network. A value of 1 GiB takes 12 s in one request,
// and must be read from the start if that fails.
//
//	st := large.New(provider, large.Options{})
//
// A Get of more than SplitAbove bytes becomes concurrent requests for ranges of one version of the
// value. The ranges are received directly in the caller's buffer. A Put of at least PartAbove bytes
// is sent as concurrent parts, which are slices of the caller's bytes. A commit makes them the
// value in one step, subject to the condition of the Put. Requests for smaller values are not
// changed. Stores that the packages s3, gcs and azure open include this layer, with the settings of
// their [store.Tuning].
//
// Package large belongs above package retry, so that a failure costs one range or part. It belongs
// above package limit, because each range and each part is a request.
//
// # Reads
//
// The length of a whole value is unknown before the first response. If the response announces more
// than SplitAbove bytes, its body is not read. The ranges are then requested concurrently at the
// announced version ([store.TooLong]). This takes one additional request and its latency. A
// [store.Within] with a version is split immediately.
//
// Bytes of different versions are never mixed. If the value is replaced during the read, or if the
// store has no versions, the whole value is read again in one request. Stores such as GCS compare a
// checksum of whole values; it is not compared for ranges.
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
