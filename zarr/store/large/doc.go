// Package large transfers large values over several connections. One connection to an object store
// transfers 60 to 85 MB/s, however fast the network is. A value of 1 GiB takes 12 s in one request,
// and must be read from the start if that breaks.
//
//	st := large.New(provider, large.Options{})
//
// A Get of more than SplitAbove bytes becomes concurrent requests for ranges of one version of the
// value, which are received directly in the caller's buffer. A Put of at least PartAbove bytes is
// sent as concurrent parts, which are slices of the caller's bytes; a commit makes them the value
// in one step, on the same condition. Requests for smaller values are not changed. Stores that
// packages s3, gcs and azure open include this layer, with the settings of their [store.Tuning].
//
// It belongs above package retry, so that a failure costs one range or part. It belongs above
// package limit, because each range and each part is a request.
//
// # Reads
//
// The length of a whole value is unknown before the first response. If that announces more than
// SplitAbove bytes, its body is not read. The ranges are then requested concurrently, at the
// announced version ([store.TooLong]). This costs one request and one latency in addition. A
// [store.Within] with a version is split immediately.
//
// Bytes of different versions are never mixed. If the value is replaced during the read, or if the
// store has no versions, the whole value is read again in one request. Checksums that a store
// compares for whole values, as GCS does, are not compared for ranges.
//
// # Writes
//
// If a Put fails, its parts are removed, unless the process dies. [Upload] leaves them in place,
// and another process can continue with their token.
//
// # Concurrency
//
// All methods may be called concurrently.
package large
