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
// match length and offset. Each value is an FSE-coded code and some extra bits. A block contains
// its Huffman and FSE tables or repeats those of an earlier block. An offset that is one of the
// three most recent offsets (repeat offsets) takes few bits.
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
// The encoder estimates sizes in bits to decide whether a table is encoded or repeated.
//
// # Memory
//
// An [Encoder] reuses its tables for the next input. The size of the tables depends on the longest
// input so far: at most 2 MiB up to level 4, 21 MiB up to level 12, and 81 MiB above. These maxima
// are for inputs of 8 MiB or more; shorter inputs need about 16 times their length. Buffers for a
// block take another 2 MiB, or up to 16 MiB above level 12. After the first inputs, Encode
// allocates only to grow dst.
//
// The output of Encode depends only on the level, the options and the input, not on earlier inputs
// or on the platform. Encode cannot fail. An Encoder must be used by one goroutine at a time.
package zstdenc
