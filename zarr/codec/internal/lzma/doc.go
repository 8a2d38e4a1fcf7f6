// Package lzma encodes and decodes the formats of Python's module lzma: the containers xz (.xz) and
// alone (.lzma), and raw streams, with all of its filters.
//
//	c := lzma.Config{Format: lzma.XZ, Check: lzma.CRC64, Preset: 6}
//	out, err := lzma.Decode(c, dst[:0], src, len(dst))
//	enc, err := lzma.NewEncoder(c)
//	out, err = enc.Encode(nil, src)
//
// It is not based on the maintained library, ulikunitz/xz, which has no filters and allocates a
// dictionary of the size that the stream declares. Here the output is the dictionary: the size in a
// header costs no memory, and matches are copied within the output.
//
// # LZMA
//
// Symbols are literals, matches of 2 to 273 bytes at a distance, and rep matches, which use one of
// the last four distances. Each decision is a bit with an adaptive probability, which a range coder
// encodes. An LZMA1 stream is one stream of symbols. An LZMA2 stream is a list of chunks, each an
// LZMA stream or uncompressed bytes.
//
// # Errors
//
// Errors of Decode are fault.Corrupt, or errors.ErrUnsupported for an unknown filter or check.
// Errors of NewEncoder and Config.Validate are fault.Metadata, or errors.ErrUnsupported for an
// unknown filter.
//
// All functions are safe for concurrent use. Formats: "The .xz File Format" 1.2.1 and "The .lzma
// File Format" (Lasse Collin).
package lzma
