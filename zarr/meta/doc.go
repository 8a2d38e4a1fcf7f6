// Package meta parses the metadata documents of Zarr v1, v2 and v3 into one model, and encodes it.
//
//	n, err := meta.ParseV3("t2m/zarr.json", doc)                           // *Array or *Group
//	a, err := meta.ParseArrayV2("t2m/.zarray", doc, "t2m/.zattrs", attrs)  // attrs nil: no such document
//	doc, err = a.EncodeV3()
//
// The model hides the format: a v2 array has the codecs that a v3 array would have. Its filters and
// compressor are named "numcodecs." + id.
//
// If the specifications and existing writers differ, the reader is lenient and the writer strict.
// For example, the reader accepts bare NaN, Infinity and -Infinity, which are not JSON, in v2's
// fill values and in attributes, and the writer never writes them.
//
// Sources: Zarr core specification 3.1 (with names of 2026-07), Zarr storage specification 2.
//
// # Errors
//
// Documents are treated as hostile: parsing takes time and memory in proportion to their length,
// and never panics. Every error is a *fault.MetaError with the document and the JSON pointer of the
// member. Its kind is
//
//   - fault.Metadata for malformed or inconsistent documents,
//   - errors.ErrUnsupported for well-formed members that are unknown to this package,
//   - fault.Limit for lengths that overflow an int, and for documents that exceed a bound of this
//     package,
//   - fault.Path for unsafe paths.
//
// Names of codecs are not checked here but by package codec.
//
// # Concurrency
//
// The package does no I/O. Models are plain values. They may be shared between goroutines if no
// goroutine changes them.
package meta
