// Package fault holds the error values that every layer of zargo shares.
//
// A kind says what the caller can do; match it with [errors.Is]:
//
//	if errors.Is(err, fault.NotFound) {
//		return nil // the key is absent
//	}
//
// A wrapper says where it happened; match it with [errors.As]: [*KeyError] names the store and the
// key, [*ChunkError] the array and the chunk, [*MetaError] the document and the JSON pointer. An
// unknown codec, data type or extension is [errors.ErrUnsupported], which has no twin here.
//
// Package zarr re-exports the kinds as zarr.ErrNotFound and so on. Everything here is immutable and
// may be used from any number of goroutines.
package fault
