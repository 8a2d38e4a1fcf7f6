// Package optional is the data type "zarrs.optional", whose elements may be missing, and the codec
// of the same name. Both are experimental extensions of zarrs, and are not part of dtype.Standard
// and codec.Builtin:
//
//	tables := zarr.Extensions(optional.Add(codec.Builtin()), optional.AddType(dtype.Standard()))
//	a, err := zarr.OpenArray(ctx, st, "a", tables)
//
// An element is a structure in memory, with the field "valid", a bool, and the field "value" of the
// inner type. The value of a missing element is zero. An array of optional int32 is read into this
// Go struct:
//
//	type element struct {
//		Valid bool  `zarr:"valid"`
//		Value int32 `zarr:"value"`
//	}
//
// The inner type must have a fixed size. It may be optional itself.
//
// # Metadata
//
// The configuration of the data type is the name and the configuration of the inner type. The fill
// value is null for a missing element, and a list of one inner fill value otherwise. Development
// versions of zarrs wrote the name "optional" for the type and the codec. Both names are read.
//
// # The format
//
// A chunk consists of the lengths of two parts, as uint64 in little-endian order, and the parts.
// The first part is the mask: an array of bool with the shape of the chunk, encoded by the codecs
// "mask_codecs". The second part is a list of the values that are not missing, in C order, encoded
// by "data_codecs". It is empty if all elements are missing.
//
// # Errors
//
// Stored bytes are hostile. The lengths are compared with the stored bytes. The number of values is
// the number of true elements of the mask. Errors are fault.Corrupt, and the errors of the inner
// codecs. Inner types of variable size are errors.ErrUnsupported.
//
// # Concurrency
//
// Codecs and data types are safe for concurrent use.
package optional
