// Package bzip2 encodes and decodes bzip2 streams, with a limit on the decoded size. It decodes
// with the standard library, which lacks an encoder. The only Go library with an encoder,
// dsnet/compress, has not been released since 2019. Its streams are up to an eighth longer than
// those of libbz2 at the same level. The streams of this package are as long as those of libbz2.
//
//	out, err := bzip2.Decode(dst[:0], src, len(dst))
//	out, err = bzip2.NewEncoder(9).Encode(nil, src)
//
// # The format
//
// Bits are written starting with the highest bit of a byte. A stream consists of "BZh" and the
// level as a digit, the blocks, the 48 bits 177245385090, 32 bits of the combined checksum of the
// blocks, and zeros up to a byte boundary. A block holds up to 100,000 bytes times the level, after
// run-length encoding: each run of 4 to 255 equal bytes is replaced by four of the bytes and a
// count. A block consists of these fields, with their lengths in bits:
//
//	48  314159265359            16 + 16 for each bit set: bitmap of the used bytes
//	32  CRC-32, high bit first  3   number of Huffman tables, 15 number of selectors
//	1   0                       selectors, move-to-front, in unary
//	24  BWT row of the block    tables: 5 bits with the first length, then deltas
//
// The symbols follow. The block is sorted by the Burrows-Wheeler transform (BWT) and its bytes are
// coded by move-to-front. Runs of zeros are written in base 2 with the digits 1 and 2. Every group
// of 50 symbols uses the Huffman table of its selector.
//
// All functions are safe for concurrent use. Errors of Decode are fault.Corrupt.
package bzip2
