// Package zstdenc encodes zstd frames that any decoder can read. At each level the frames are about
// as short as libzstd's, or shorter.
//
//	e := zstdenc.New(zstdenc.Options{Level: 3, Window: 1 << 20})
//	frame := e.Encode(nil, src)
//
// # The frame
//
// A frame is a header and blocks of up to 128 KiB (RFC 8878). A compressed block consists of a
// literals section and a sequences section. The literals section holds the Huffman-coded literals
// of all sequences. The sequences section has three values for each sequence: literals length,
// match length and offset. Each value is an FSE-coded code and some extra bits. Huffman and FSE
// tables are in the block or are repeated from an earlier block. The three most recent offsets
// (repeat offsets) take few bits.
//
// # The encoder
//
// A level is a set of parameters that depend on the length of the input, as in libzstd. It selects
// one of four match finders:
//
//	fast, double        the latest position with the same hash of few bytes, or of 8  findFast, findDouble
//	greedy, lazy(2)     up to 64 positions with the same hash, in rows; lazy also     findLazy
//	                    tries the next positions, which may have a better match
//	optimal, optimal2   all positions in a binary tree; the cheapest sequences of     findOptimal
//	                    the block, by the prices of the previous pass
//
// Estimated sizes in bits decide whether a table is encoded or repeated, and whether a block is
// compressed at all.
//
// # Memory
//
// An [Encoder] reuses its tables for the next input. Their size depends on the longest input so
// far: at most 2 MiB up to level 4, 21 MiB up to level 12, and 81 MiB above. These maxima are for
// inputs of 8 MiB or more; shorter inputs need about 16 times their length. Buffers for a block
// take 2 MiB more, and up to 16 MiB more above level 12. After the first inputs, Encode allocates
// only to grow dst.
//
// The output of Encode depends only on the level, the options and the input, not on earlier inputs
// or on the platform. Encode cannot fail. An Encoder must be used by one goroutine at a time.
package zstdenc
