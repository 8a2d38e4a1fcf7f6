// Package lz4hc encodes LZ4 blocks with high compression at nine levels. Any LZ4 decoder can read
// the blocks.
//
//	e := lz4hc.New(9)
//	n := e.Encode(dst, src) // dst[:n] is the block, 0 when it would not be shorter than src
//
// # The block format
//
// A block is a list of sequences. A sequence is a token, literals, and a match, whose offset has
// two bytes, little-endian. The high half of the token is the number of literals, and the low half
// is the match length minus 4. If a half is 15, additional length bytes follow the token or the
// offset. The length is the sum of the half and these bytes. The last of these bytes is the first
// that is not 255. An offset is 1 to 65535. The last sequence has only literals, at least 5, and no
// match starts within the last 12 bytes.
//
// # The encoder
//
// In LZ4 the encoded size of a match does not depend on its offset, and the rest of the input never
// takes fewer bytes from an earlier position than from a later one. An optimal block therefore
// needs only the longest match at each position. The encoder goes through a part of the input from
// its end to its start. At each position it chooses the cheapest of a literal, the match, and the
// match shortened by one length byte. A higher level compares more earlier positions with the same
// four bytes to find the longest match.
//
// An [Encoder] must be used by one goroutine at a time. Memory is allocated only in [New]. The
// output does not depend on earlier inputs. Encode cannot fail.
package lz4hc
