// Package pcodec is the codec "numcodecs.pcodec" of numcodecs and zarrs: numbers in standalone
// files of the Pco format of the pcodec library. It is in pure Go and not part of codec.Builtin:
//
//	table := pcodec.Add(codec.Builtin())
//	codecs := []codec.Spec{pcodec.Level(8)}
//	spec := zarr.Spec{Shape: []int{1000}, DType: dtype.Float64, Codecs: codecs}
//	a, err := zarr.Create(ctx, st, "a", spec, zarr.Extensions(table, nil))
//
// Elements are integers and floats of 16, 32 or 64 bits, times, and complex numbers. Times are
// stored as int64. A complex number is stored as two floats, as in zarrs; numcodecs lacks complex
// numbers. zargo also stores integers of 8 bits, which numcodecs and zarrs lack.
//
// In v3 metadata the codec encodes an array to bytes. In v2 metadata it is a compressor, which
// follows the codec "bytes". It requires little-endian elements there, as numcodecs does. A codec
// "transpose" before it is decoded as in every chain. zarr-python 3.1 stores such chunks in another
// order, and does not read them back.
//
// The name in v3 metadata is "numcodecs.pcodec". Two other names are read:
// "https://codec.zarrs.dev/array_to_bytes/pcodec", which zarrs reads too, and "pcodec", which zarrs
// 0.23 rejects.
//
// # Decoding
//
// The package decodes the files of all versions of pcodec up to 1.1: versions 0 to 4.1 of the
// format. It has the modes classic, int mult, float mult, float quant and dict, and the delta
// encodings consecutive, lookback and conv1. It does not decode the GCD mode of pcodec 0.0, which
// later versions of pcodec reject too.
//
// # Encoding
//
// The package encodes with the mode classic and consecutive delta encoding of order 0 to 7. It
// writes version 2 of the format, which pcodec reads since 0.2. The configuration is that of
// numcodecs. It is for encoding only. The level bounds the number of bins. The settings of the mode
// and of lookback are ignored, and so is an order with a "delta_spec" that does not use it.
//
// # Errors
//
// Stored bytes are hostile. Lengths are compared with the stored bytes and with the limit of the
// output before memory is allocated. Errors are fault.Corrupt, errors.ErrUnsupported for files of
// newer versions, and fault.Limit for files whose tables are far larger than their numbers require.
// A bad configuration is fault.Metadata. Other data types are errors.ErrUnsupported.
//
// # Concurrency
//
// Codecs are safe for concurrent use.
//
// # The format
//
// A standalone file has a header, chunks, and a byte 0. The mode of a chunk maps each number to one
// or two latents. Latents are unsigned integers; in the mode classic they have the order of the
// numbers. Latents are stored as differences from earlier ones. Each difference is a bin and an
// offset from the lower bound of the bin. The bins of 256 numbers are coded by four interleaved
// tANS states; the packed offsets follow. The reference is docs/format.md of
// github.com/mwlon/pcodec.
package pcodec
