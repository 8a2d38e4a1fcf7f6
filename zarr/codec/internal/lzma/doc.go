// Package lzma reads and writes what Python's module lzma does: the containers xz (.xz) and alone
// (.lzma), and raw streams, with all its filters.
//
//	c := lzma.Config{Format: lzma.XZ, Check: lzma.CRC64, Preset: 6}
//	out, err := lzma.Decode(c, dst[:0], src, len(dst))
//	enc, err := lzma.NewEncoder(c)
//	out, err = enc.Encode(nil, src)
//
// It is our own because the kept library, ulikunitz/xz, knows no filters and allocates a dictionary
// of the size that a stream names. Here the output is the dictionary: a header costs no memory,
// whatever it says, and a match copies where the bytes are due.
//
// # LZMA
//
// Symbols are literals, matches of 2 to 273 bytes at a distance, and repetitions of one of the last
// four distances. Each decision is a bit with a probability that is learnt, and a range coder makes
// bytes of them. LZMA1 is one stream of symbols; LZMA2 is chunks of such streams, or of bytes as
// they are.
//
// All functions may be called from any number of goroutines. Errors of Decode are fault.Corrupt, or
// errors.ErrUnsupported for a filter or a check that is not known; those of NewEncoder and
// Config.Validate are fault.Metadata. Formats: "The .xz File Format" 1.2.1 and "The .lzma File
// Format" (Lasse Collin).
package lzma
