// Package lz4hc encodes short LZ4 blocks at nine levels. Any LZ4 decoder can read them.
//
//	e := lz4hc.New(9)
//	n := e.Encode(dst, src) // dst[:n] is the block, 0 when it would not be shorter than src
//
// # The block format
//
// A block is a list of sequences. A sequence is a token, literals, and a match, whose offset has
// two bytes, little-endian. The high half of the token is the number of literals, the low half the
// match length less 4. If a half is 15, further length bytes follow, after the token or after the
// offset; they are added up to and including the first that is not 255. An offset is 1 to 65535.
// The last sequence has literals only, at least 5, and no match starts within the last 12 bytes.
//
// # The encoder
//
// In LZ4 the size of a match does not depend on its offset, and the shortest encoding of the input
// from a position on is never shorter than that from a later position on. So an optimal block needs
// only the longest match of each position. From the end of a part of the input to its start, the
// encoder chooses the cheapest of the literal, the match, and the match shortened so that it needs
// one length byte less. The levels differ in how many earlier positions with the same four bytes
// they try to find that match.
//
// An [Encoder] must be used by one goroutine at a time and allocates only in [New]. Its output does
// not depend on earlier inputs. Encode cannot fail.
package lz4hc
