// Package blosc encodes and decodes blosc1 frames, the chunk format of c-blosc 1.21 and numcodecs,
// in pure Go.
//
//	frame, err := blosc.Encode(nil, chunk, blosc.Options{Compressor: blosc.LZ4, Level: 5, Shuffle: blosc.ByteShuffle, TypeSize: 4})
//	chunk, err = blosc.Decode(chunk[:0], frame, len(chunk))
//
// # The format
//
// All numbers are little-endian. The header has 16 bytes:
//
//	0  version of the format, 2       4   nbytes: u32 decoded size
//	1  version of the compressor, 1   8   blocksize: u32 size of a block
//	2  flags                          12  cbytes: u32 size of the frame with the header
//	3  typesize: bytes of an element
//
// Flags: 1 byte shuffle, 2 stored uncompressed, 4 bit shuffle, 16 blocks are not split. The highest
// three bits are the compressor: 0 blosclz, 1 lz4 and lz4hc, 2 snappy, 3 zlib, 4 zstd.
//
// After the header are the bstarts: for every block an i32 with its offset in the frame. A block is
// one stream or, if blocks are split, one stream for each byte of an element. The last block is
// never split if it is shorter than the others. A stream is an i32 with its size and that many
// bytes. If the size is that of the decoded stream, the bytes are uncompressed. Each block is
// shuffled separately.
//
// Frames may be hostile. [Decode] compares every size with the limit and with the available bytes
// before it allocates or copies, and writes only to the output. It returns fault.Corrupt, or
// errors.ErrUnsupported for a blosc2 frame or an unknown compressor. Encode returns fault.Metadata
// for invalid options and fault.Limit for more than [MaxSize] bytes.
//
// # Concurrency
//
// All functions are safe for concurrent use. A [Frame] must be used by one goroutine at a time.
package blosc
