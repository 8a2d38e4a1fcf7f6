// Package fault defines the error values shared by all layers of zargo.
//
// A [Kind] describes what the caller can do about an error; match it with [errors.Is]:
//
//	if errors.Is(err, fault.NotFound) {
//		return nil // the key is absent
//	}
//
// A wrapper describes where the error occurred; match it with [errors.As]. [*KeyError] names the
// store and the key, [*ChunkError] the array and the chunk, [*MetaError] the document and the JSON
// pointer. For an unknown codec, data type or extension the kind is [errors.ErrUnsupported] of the
// standard library.
//
// Package zarr re-exports the kinds as zarr.ErrNotFound and so on. All values are immutable and
// safe for concurrent use.
package fault
