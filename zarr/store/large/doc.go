// Package large moves large values over several connections at once. One connection to an object
// store gives 60 to 85 MB/s however fast the line is, so a value of 1 GiB takes 12 s by one
// request, and all of it again where that breaks at the end.
//
//	st := large.New(provider, large.Options{})
//
// A Get of more than SplitAbove bytes is made as parallel ranges of one version of the value,
// received where they belong in the caller's buffer. A Put of PartAbove bytes or more is sent as
// parallel parts, which are slices of the caller's bytes, and becomes the value by the same
// condition in one step. Smaller values are passed on as they are: the requests for them do not
// change. Stores that package s3, gcs and azure open have this layer, with the numbers of their
// [store.Tuning].
//
// It belongs outside of a layer that retries (package retry), so that what breaks costs a range or
// a part and not the value, and outside of what bounds requests in flight (package limit), as each
// range and each part is a request.
//
// # Reads
//
// Of a whole value the length is not known before. It is asked for as always; a response that
// announces more than SplitAbove bytes is left unread, and says the length and the version
// ([store.TooLong]) by which the ranges are then asked for, all at once: one request more than
// ranges, and one wait for a first byte. A [store.Within] with a version is split at once. Two
// values are never mixed: if the value is replaced meanwhile, all of it is asked for again by one
// request, and so it is in a store without versions. Checksums that a store compares for whole
// values (GCS does) are not compared for ranges.
//
// # Writes
//
// The parts of a Put that fails are removed, unless the process dies. [Upload] leaves them, and
// another process goes on with them by their token.
//
// All methods may be called concurrently.
package large
