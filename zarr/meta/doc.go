// Package meta turns the metadata documents of Zarr v2 and v3 into one model and back.
//
//	n, err := meta.ParseV3("t2m/zarr.json", doc)                           // *Array or *Group
//	a, err := meta.ParseArrayV2("t2m/.zarray", doc, "t2m/.zattrs", attrs)  // attrs nil: no such document
//	doc, err = a.EncodeV3()
//
// Nothing after this package knows which format an array is stored in: a v2 array has the pipeline
// that a v3 array would have, with its filters and compressor under the names "numcodecs." + id.
//
// Documents are hostile: parsing takes time and memory in proportion to their length, and never
// panics. Every error is a *fault.MetaError that names the document and, as a JSON pointer, the
// member it is about; its kind is fault.Metadata for what is malformed or contradicts itself,
// errors.ErrUnsupported for what is well formed but unknown here, fault.Limit for lengths beyond
// what this machine can count, fault.Path for unsafe paths. Names of codecs are not judged here but
// by package codec.
//
// Where the specifications and the writers in the field part, the reader is lenient and the writer
// strict: bare NaN, Infinity and -Infinity, which are not JSON, are read in v2's fill values and in
// attributes, and never written.
//
// Sources: Zarr core specification 3.1 (with names of 2026-07), Zarr storage specification 2.
//
// The package is pure: it does no I/O. Models are plain values: share them between goroutines, but
// do not change one that is shared.
package meta
