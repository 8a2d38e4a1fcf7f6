// Package blosc reads and writes blosc1 frames, byte for byte what c-blosc 1.21 and numcodecs
// understand, in pure Go.
//
//	frame, err := blosc.Encode(nil, chunk, blosc.Options{Compressor: blosc.LZ4, Level: 5, Shuffle: blosc.ByteShuffle, TypeSize: 4})
//	chunk, err = blosc.Decode(chunk[:0], frame, len(chunk))
//
// # The frame
//
// All numbers are little-endian. A header of 16 bytes:
//
//	0  version of the frame, 2        4   u32 bytes decoded
//	1  version of the compressor, 1   8   u32 bytes of a block
//	2  flags                          12  u32 bytes of the frame, header included
//	3  bytes of an element
//
// Flags: 1 bytes are shuffled, 2 the rest is the data as it is, 4 bits are shuffled, 16 blocks are
// not split; the top three bits are the compressor (0 blosclz, 1 lz4 and lz4hc, 2 snappy, 3 zlib, 4
// zstd). After the header: for every block an i32 with its offset in the frame. A block is one
// stream, or, when blocks are split, one for each byte of an element (the last block is never split
// when it is shorter than the others); a stream is an i32 with its length, then its bytes, which
// are the data as it is when the length is that of the data. Shuffling is per block.
//
// # Hostile frames
//
// [Decode] compares every size with the limit and with the bytes that are there before it allocates
// or copies, and writes nothing outside the place for the output. Errors are fault.Corrupt, or
// errors.ErrUnsupported for a blosc2 frame and for unknown compressors. Encode's are fault.Metadata
// for bad options, fault.Limit for more than [MaxSize] bytes.
//
// All functions may be called from any number of goroutines.
package blosc
