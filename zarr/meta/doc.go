// Package meta parses the metadata documents of Zarr v1, v2 and v3 into one model, and encodes the
// model as documents of v2 and v3.
//
//	n, err := meta.ParseV3("t2m/zarr.json", doc)                           // *Array or *Group
//	a, err := meta.Parser{}.ArrayV2("t2m/.zarray", doc, "t2m/.zattrs", attrs)  // attrs nil: no such document
//	doc, err = a.EncodeV3()
//
// The model hides the format: a v2 array has the codecs that a v3 array would have. The filters and
// the compressor of a v2 array are codecs named "numcodecs." + id.
//
// Where existing writers differ from the specifications, parsing is lenient and encoding strict.
// For example, bare NaN, Infinity and -Infinity, which are not JSON, are accepted in v2's fill
// values and in attributes, but are never written.
//
// Sources: Zarr core specification 3.1 (with names of 2026-07), Zarr storage specification 2.
//
// # Errors
//
// Documents are treated as hostile: parsing takes time and memory in proportion to their length,
// and never panics. Every error is a *fault.MetaError with the document and the JSON pointer of the
// member. The kind of the error is
//
//   - fault.Metadata for malformed or inconsistent documents,
//   - errors.ErrUnsupported for well-formed members that are unknown to this package,
//   - fault.Limit for lengths that overflow an int, and for documents that exceed a bound of this
//     package,
//   - fault.Path for unsafe paths.
//
// Package codec checks the names of codecs.
//
// # Concurrency
//
// The package does no I/O. Models are plain values, which may be shared between goroutines if no
// goroutine changes them.
package meta
