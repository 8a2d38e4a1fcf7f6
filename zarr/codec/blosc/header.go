package blosc

import (
	"encoding/binary"
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
)

const (
	// HeaderSize is the size of a header, and the maximum overhead of a frame.
	HeaderSize = 16
	// MaxSize is the maximum decoded size of a frame. The header stores the size of the whole frame
	// as a signed 32-bit integer.
	MaxSize = 1<<31 - 1 - HeaderSize
	// MaxTypeSize is the maximum element size. For larger elements the element size is 1.
	MaxTypeSize = 255

	frameVersion = 2
	codecVersion = 1

	minCompressed = 128 // shorter data is stored uncompressed, and shorter streams are not split
	maxSplits     = 16  // larger elements are not split
)

const (
	flagShuffle    = 1 << 0
	flagStored     = 1 << 1
	flagBitShuffle = 1 << 2
	flagWhole      = 1 << 4
)

// Header is the header of a frame.
type Header struct {
	Compressor Compressor // LZ4 also for lz4hc
	Shuffle    Shuffle
	Stored     bool // the data is not compressed
	Split      bool // full blocks have one stream for each byte of an element
	TypeSize   int
	Size       int // decoded size
	BlockSize  int // size of a block; the last one may be shorter
	Encoded    int // size of the frame
}

// ParseHeader parses the header of a frame and checks that the header is consistent. The caller
// must compare the sizes in the header with the actual sizes.
func ParseHeader(src []byte) (Header, error) {
	var h Header
	if len(src) < HeaderSize {
		return h, fault.Newf(fault.Corrupt, "blosc frame must have a header of %d bytes, has %d", HeaderSize, len(src))
	}
	switch v := src[0]; {
	case v > frameVersion && v <= 5:
		return h, fault.Newf(errors.ErrUnsupported, "blosc frame has version %d (blosc2), but only version 2 is supported", v)
	case v != frameVersion:
		return h, fault.Newf(fault.Corrupt, "not a blosc frame: version is %d, want 2", v)
	case src[1] != codecVersion:
		return h, fault.Newf(fault.Corrupt, "blosc frame has the unknown compressor version %d", src[1])
	}
	flags := src[2]
	var ok bool
	if h.Compressor, ok = compressorOf(flags >> 5); !ok {
		return h, fault.Newf(errors.ErrUnsupported, "blosc compressor number %d is unknown", flags>>5)
	}
	h.TypeSize = int(src[3])
	size, block, encoded := binary.LittleEndian.Uint32(src[4:]), binary.LittleEndian.Uint32(src[8:]), binary.LittleEndian.Uint32(src[12:])
	switch {
	case size > MaxSize || encoded > MaxSize+HeaderSize:
		return h, fault.Newf(fault.Corrupt, "blosc header declares %d bytes encoded in %d, more than a frame can have", size, encoded)
	case encoded < HeaderSize:
		return h, fault.Newf(fault.Corrupt, "blosc header declares a frame of %d bytes, shorter than the header", encoded)
	case size > 0 && (block == 0 || block > size):
		return h, fault.Newf(fault.Corrupt, "blosc header declares blocks of %d bytes for %d decoded bytes", block, size)
	case h.TypeSize == 0:
		return h, fault.Newf(fault.Corrupt, "blosc header declares elements of 0 bytes")
	}
	h.Size, h.BlockSize, h.Encoded = int(size), int(min(block, size)), int(encoded)
	h.Stored = flags&flagStored != 0
	switch {
	case flags&flagShuffle != 0 && h.TypeSize > 1:
		h.Shuffle = ByteShuffle
	case flags&flagBitShuffle != 0:
		h.Shuffle = BitShuffle
	}
	h.Split = flags&flagWhole == 0 && splits(h.TypeSize, h.BlockSize)
	return h, nil
}

// append appends the header to dst.
func (h Header) append(dst []byte) []byte {
	flags := h.Compressor.format() << 5
	switch h.Shuffle {
	case ByteShuffle:
		flags |= flagShuffle
	case BitShuffle:
		flags |= flagBitShuffle
	}
	if h.Stored {
		flags |= flagStored
	}
	if !h.Split {
		flags |= flagWhole
	}
	dst = append(dst, frameVersion, codecVersion, flags, byte(h.TypeSize))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(h.Size))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(h.BlockSize))
	return binary.LittleEndian.AppendUint32(dst, uint32(h.Encoded))
}

// blocks returns the number of blocks.
func (h Header) blocks() int {
	if h.Size == 0 {
		return 0
	}
	return (h.Size-1)/h.BlockSize + 1
}

// streams returns the number of streams of a block of n bytes.
func (h Header) streams(n int) int {
	if h.Split && n == h.BlockSize {
		return h.TypeSize
	}
	return 1
}

// splits reports whether blocks of blockSize bytes are split in a frame whose flags allow
// splitting.
func splits(typeSize, blockSize int) bool {
	return typeSize <= maxSplits && blockSize/typeSize >= minCompressed
}
