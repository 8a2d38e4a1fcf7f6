// Package bzip2 appends and bounds bzip2 streams. Reading is the standard library's; writing is our
// own, because the one library that writes, dsnet/compress, has had no release since 2019 and makes
// streams up to an eighth larger than libbz2's at the same level, and these are as long as
// libbz2's.
//
//	out, err := bzip2.Decode(dst[:0], src, len(dst))
//	out, err = bzip2.NewEncoder(9).Encode(nil, src)
//
// # The format
//
// Bits are written from the highest of a byte. "BZh" and the level as a digit; blocks; 48 bits
// 177245385090, 32 bits of the checksums of all blocks; zeros to a whole byte. A block holds up to
// 100,000 times the level bytes, runs of 4 to 255 equal ones already shortened to four and a count:
//
//	48  314159265359            16 + 16 for each bit of those: the bytes that occur
//	32  checksum (CRC-32, high bit first)   3  number of codes, 15 number of selectors
//	1   0                       selectors, moved to the front, in unary
//	24  row of the block        codes: 5 bits with the first length, then steps
//
// and then the symbols: rotations of the block are sorted (Burrows and Wheeler), the bytes before
// them moved to the front, runs of zeros written in base 2 with the digits 1 and 2, and every 50
// symbols share one of the codes.
//
// All functions may be called from any number of goroutines. Errors of Decode are fault.Corrupt.
package bzip2
