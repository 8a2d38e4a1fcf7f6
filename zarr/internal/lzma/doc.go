// Package lzma encodes and decodes the formats of Python's module lzma: the containers xz (.xz) and
// alone (.lzma), and raw streams. It supports all filters of that module.
//
//	c := lzma.Config{Format: lzma.XZ, Check: lzma.CRC64, Preset: 6}
//	out, err := lzma.Decode(c, dst[:0], src, len(dst))
//	enc, err := lzma.NewEncoder(c)
//	out, err = enc.Encode(nil, src)
//
// The library ulikunitz/xz is not used, because it lacks filters and allocates a dictionary of the
// size that the stream declares. In this package the decoded output is the dictionary. A large size
// in a header thus takes no memory, and matches are copied within the output.
//
// # LZMA
//
// The encoder compares the lengths and distances of matches, like the fast mode of liblzma. A
// preset sets the size of the dictionary and how many earlier positions the encoder compares.
//
// Symbols are literals, matches of 2 to 273 bytes at a distance, and rep matches, which use one of
// the last four distances. Each of them is encoded as a series of bits. Every bit has an adaptive
// probability and is encoded by a range coder. An LZMA1 stream is one stream of symbols. An LZMA2
// stream is a list of chunks. Each chunk is an LZMA stream or uncompressed bytes.
//
// # Errors
//
// Decode returns fault.Corrupt, or errors.ErrUnsupported for an unknown filter or check. NewEncoder
// and Config.Validate return fault.Metadata, or errors.ErrUnsupported for an unknown filter.
//
// All functions are safe for concurrent use. The formats are documented in "The .xz File Format"
// 1.2.1 and "The .lzma File Format" (Lasse Collin).
package lzma
