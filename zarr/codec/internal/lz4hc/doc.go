// Package lz4hc writes LZ4 blocks that are short, at ten levels, for who reads them with any LZ4
// decoder.
//
//	e := lz4hc.New(9)
//	n := e.Encode(dst, src) // dst[:n] is the block, 0 when it would not be shorter than src
//
// # The block
//
// A block is a row of sequences: a token, literals, the distance of a match in two bytes,
// little-endian. The high half of the token is the number of literals, the low one the length of
// the match less 4; 15 in either means that bytes follow, after the token or after the distance,
// which are added up to the first one that is not 255. A distance is 1 to 65535. The last sequence
// has literals only, 5 bytes at least, and no match starts within the last 12 bytes.
//
// # How it is made
//
// In LZ4 a match costs the same whatever its distance is, and the cheapest block of what follows a
// place is never shorter than that of what follows a later one. So for the best block of all it is
// enough to know one match for each place, the longest, and to compare the literal, the match, and
// the match cut to where it needs one byte less, from the end of a part of the input to its start.
// The levels differ in how many earlier places with the same four bytes are looked at to find that
// match.
//
// An [Encoder] is for one goroutine at a time and allocates nothing after [New]. What it writes
// does not depend on what it wrote before. There are no errors.
package lz4hc
