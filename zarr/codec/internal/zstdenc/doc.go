// Package zstdenc writes zstd frames about as short as libzstd's at each of its levels, or shorter,
// for who reads them with any decoder.
//
//	e := zstdenc.New(zstdenc.Options{Level: 3, Window: 1 << 20})
//	frame := e.Encode(nil, src)
//
// # The frame
//
// A frame is a header and blocks of up to 128 KiB. A block is a row of sequences, each some
// literals and then a match, which repeats earlier bytes. It has two sections. The first holds the
// literals of all sequences, by a code of Huffman's. In the second each sequence has three numbers:
// how many literals, how long a match, and which offset. Each is a code and some more bits, and the
// codes are written by finite state entropy. Tables of both are in the block, or are those of a
// block before. Distances that were among the last three take few bits. RFC 8878.
//
// # How it is made
//
// A level is a set of numbers that depend on the length of the input, as libzstd's do, and one of
// four ways to find matches:
//
//	fast, double        the last place with the same hash of few bytes, and of eight    findFast, findDouble
//	greedy, lazy(2)     up to 64 places with the same hash, in rows; lazy looks at the  findLazy
//	                    next places too, where a better match may begin
//	optimal, optimal2   all places in a tree of strings; the cheapest way through the   findOptimal
//	                    block, by the prices of codes that the last way led to
//
// Whether a table is encoded anew or an earlier one repeated, and whether a block is coded at all,
// is decided by counting bits.
//
// # Memory
//
// An [Encoder] keeps its tables for the next input. They are as large as the longest input needs,
// whatever the level allows: up to level 4 at most 2 MiB, up to 12 at most 21 MiB, above at most 81
// MiB, which are those of an input of 8 MiB or more; of shorter ones about 16 times the length. To
// these come 2 MiB for the blocks, and above level 12 up to 16 MiB. In a steady state it allocates
// nothing but for dst.
//
// What Encode writes depends on the level, the options and the input alone: not on what was encoded
// before, nor on the platform. An Encoder is for one goroutine at a time. There are no errors.
package zstdenc
