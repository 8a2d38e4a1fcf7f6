// Package zfp decodes arrays of the zfp format: the codec "zfp" of zarrs and of the registry of
// codecs, and the codec "zfpy" of numcodecs. It is in pure Go and not part of codec.Builtin:
//
//	table := zfp.Add(codec.Builtin())
//	a, err := zarr.OpenArray(ctx, st, "a", zarr.Extensions(table, nil))
//
// The package cannot encode. An array with these codecs can be created, but a write of a chunk
// returns errors.ErrUnsupported.
//
// # Arrays
//
// Arrays have up to 4 axes. Elements are int32, int64, float32, float64, or times, which are stored
// as int64. Integers of 8 and 16 bits, and unsigned ones of 32 and 64 bits, are decoded as zarrs
// encodes them. All modes are supported: fixed rate, fixed precision, fixed accuracy, expert and
// reversible. The decoded values are those of libzfp 1.0, bit by bit.
//
// # The codec zfp
//
// In v3 metadata "zfp" encodes an array to bytes. The chunk lacks a header. The mode is in the
// configuration. zarrs converts the rate of the mode fixed_rate to bits as if the array had three
// axes.
// The package derives from the length of a chunk whether its writer did so. The names "zarrs.zfp"
// and "https://codec.zarrs.dev/array_to_bytes/zfp" of zarrs are read too.
//
// # The codec zfpy
//
// In v3 metadata "numcodecs.zfpy" encodes an array to bytes. The name
// "https://codec.zarrs.dev/array_to_bytes/zfpy" of zarrs is read too. In v2 metadata the codec is a
// compressor, which follows the codec "bytes" and requires little-endian elements. Each chunk has a
// header with the type, the shape and the mode. The mode in the configuration is ignored, as in
// numcodecs. The shape must be that of the array, or one axis with all elements. numcodecs writes
// the latter after a filter, and old versions wrote it for all arrays.
//
// # Errors
//
// Stored bytes are hostile. Lengths, types and shapes are compared with those of the array before
// memory is allocated. A stream with missing or superfluous bytes, or of another type or
// shape, is fault.Corrupt. Another version of the format is errors.ErrUnsupported. A bad
// configuration is fault.Metadata, and one that requires very long chunks fault.Limit. Other data
// types are errors.ErrUnsupported.
//
// # Concurrency
//
// Codecs are safe for concurrent use.
//
// # The format
//
// An array is divided into blocks of 4 elements along each axis. A block of floats has a common
// exponent and integers. A transform along each axis converts the integers to coefficients. These
// are stored by bit planes from the highest, in base -2 and ordered by frequency. The parameters of a
// mode limit the bits of a block, its planes, or the lowest plane. In reversible mode, the
// transform is exact. The reference is the documentation of zfp at zfp.readthedocs.io.
package zfp
