package blosc

import (
	"encoding/binary"
	"sync"

	"github.com/klauspost/compress/s2"

	"github.com/zargo-io/zargo/zarr/codec/internal/deflate"
	"github.com/zargo-io/zargo/zarr/codec/internal/lz4fast"
	"github.com/zargo-io/zargo/zarr/codec/internal/lz4hc"
	"github.com/zargo-io/zargo/zarr/codec/internal/planes"
	"github.com/zargo-io/zargo/zarr/codec/internal/zst"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Encode appends a frame with the content src to dst. For many frames use [NewEncoder].
func Encode(dst, src []byte, o Options) ([]byte, error) {
	e, err := NewEncoder(o)
	if err != nil {
		return dst, err
	}
	return e.Encode(dst, src)
}

// NewEncoder returns an encoder. It returns fault.Metadata if an option is out of range.
func NewEncoder(o Options) (*Encoder, error) {
	switch {
	case o.Compressor > Zstd:
		return nil, fault.Newf(fault.Metadata, "blosc compressor must be 0 to %d, is %d", Zstd, o.Compressor)
	case o.Level < 0 || o.Level > 9:
		return nil, fault.Newf(fault.Metadata, "blosc level must be 0 to 9, is %d", o.Level)
	case o.Shuffle > BitShuffle:
		return nil, fault.Newf(fault.Metadata, "blosc shuffle must be 0 to %d, is %d", BitShuffle, o.Shuffle)
	case o.TypeSize < 0 || o.BlockSize < 0:
		return nil, fault.Newf(fault.Metadata, "blosc element and block sizes must not be negative, are %d and %d", o.TypeSize, o.BlockSize)
	}
	if o.TypeSize == 0 || o.TypeSize > MaxTypeSize {
		o.TypeSize = 1
	}
	e := &Encoder{o: o}
	switch o.Compressor {
	case Zstd:
		e.zstd = zst.NewEncoder(zst.Options{Effort: zstdEffort(o.Level), Window: max(maxBlock, o.BlockSize)})
	case Zlib:
		e.zlib = deflate.NewEncoder(deflate.Zlib, o.Level)
	}
	return e, nil
}

// Options configures an encoder.
type Options struct {
	Compressor Compressor
	Level      int // 0 stores without compressing; 9 is the slowest
	Shuffle    Shuffle
	TypeSize   int // bytes of an element; 0 and values above MaxTypeSize mean 1
	BlockSize  int // bytes of a block; 0 means that the level decides
}

// maxBlock is the maximum default block size: 32 KiB × 16 × 2.
const maxBlock = 1 << 20

// Encode appends a frame with the content src to dst. The frame is at most HeaderSize bytes longer
// than src.
func (e *Encoder) Encode(dst, src []byte) ([]byte, error) {
	if len(src) > MaxSize {
		return dst, fault.Newf(fault.Limit, "blosc input must have at most %d bytes, has %d", MaxSize, len(src))
	}
	h := Header{Compressor: e.o.Compressor, Shuffle: e.o.Shuffle, TypeSize: e.o.TypeSize, Size: len(src), BlockSize: e.blockSize(len(src))}
	h.Split = e.split(h.BlockSize)
	h.Stored = e.o.Level == 0 || len(src) < minCompressed
	start := len(dst)
	if !h.Stored {
		out, err := e.blocks(h.append(dst), start, src, h)
		if err != nil {
			return dst, err
		}
		if h.Encoded = len(out) - start; h.Encoded <= len(src)+HeaderSize {
			binary.LittleEndian.PutUint32(out[start+12:], uint32(h.Encoded))
			return out, nil
		}
		dst, h.Stored = out[:start], true
	}
	h.Encoded = HeaderSize + len(src)
	return append(h.append(dst), src...), nil
}

// Encoder encodes frames. It is immutable and safe for concurrent use.
type Encoder struct {
	o       Options
	zstd    *zst.Encoder
	zlib    *deflate.Encoder
	scratch sync.Pool
}

// blocks appends the bstarts and the blocks to the frame that begins at dst[start]. It stops when
// the frame is longer than an uncompressed frame.
func (e *Encoder) blocks(dst []byte, start int, src []byte, h Header) ([]byte, error) {
	w, ok := e.scratch.Get().(*work)
	if !ok {
		w = &work{}
		if e.o.Compressor == LZ4HC {
			w.hc = lz4hc.New(e.o.Level)
		}
	}
	defer e.scratch.Put(w)
	table := len(dst)
	dst = append(dst, make([]byte, 4*h.blocks())...)
	for i := 0; len(src) > 0 && len(dst)-start <= h.Size+HeaderSize; i++ {
		binary.LittleEndian.PutUint32(dst[table+4*i:], uint32(len(dst)-start))
		n := min(h.BlockSize, len(src))
		var err error
		if dst, err = e.block(dst, src[:n], h, w); err != nil {
			return dst, err
		}
		src = src[n:]
	}
	return dst, nil
}

// work holds the buffers and tables that one call of Encode uses.
type work struct {
	shuffled, packed scratch
	lz4              lz4fast.Encoder
	hc               *lz4hc.Encoder // nil for other compressors
	lz               lzTable
}

// block appends the streams of one block.
func (e *Encoder) block(dst, src []byte, h Header, w *work) ([]byte, error) {
	streams := h.streams(len(src))
	switch {
	case h.Shuffle == ByteShuffle && h.TypeSize > 1:
		plain := src
		src = w.shuffled.room(len(src))
		planes.Split(src, plain, h.TypeSize)
	case h.Shuffle == BitShuffle:
		plain := src
		src = w.shuffled.room(len(src))
		bitShuffle(src, plain, h.TypeSize)
	}
	n := len(src) / streams
	for i := range streams {
		part := src[i*n : (i+1)*n]
		dst = append(dst, make([]byte, 4)...)
		at := len(dst)
		room := dst[at:cap(dst)]
		packed, err := e.stream(room, part, w)
		switch {
		case err != nil:
			return dst, err
		case len(packed) == 0 || len(packed) >= n:
			dst = append(dst, part...)
		case len(room) > 0 && &packed[0] == &room[0]:
			dst = dst[:at+len(packed)]
		default:
			dst = append(dst, packed...)
		}
		binary.LittleEndian.PutUint32(dst[at-4:], uint32(len(dst)-at))
	}
	return dst, nil
}

// stream compresses one stream. It returns a slice of room if the compressor writes to a slice and
// room has the length of src, otherwise a slice of a buffer of w. The slice may be empty if the
// compressed stream would not be shorter than src.
func (e *Encoder) stream(room, src []byte, w *work) (out []byte, err error) {
	if len(room) < len(src) || e.o.Compressor >= Snappy {
		room = w.packed.room(len(src))
	}
	room = room[:len(src)]
	switch e.o.Compressor {
	case BloscLZ:
		return room[:bloscLZEncode(room, src, e.o.Level, &w.lz)], nil
	case LZ4:
		return room[:w.lz4.Encode(room, src, 10-e.o.Level)], nil
	case LZ4HC:
		return room[:w.hc.Encode(room, src)], nil
	case Snappy:
		out = s2.EncodeSnappy(w.packed.room(max(0, s2.MaxEncodedLen(len(src)))), src)
	case Zlib:
		out, err = e.zlib.Encode(room[:0], src)
	case Zstd:
		out, err = e.zstd.Encode(room[:0], src)
	}
	if cap(out) > cap(room) && cap(out) <= maxKept {
		w.packed.b = out[:0]
	}
	return out, err
}

// split reports whether blocks of the given size are split. As in c-blosc, blocks of all
// compressors except zstd are split, for decoders that predate the flag.
func (e *Encoder) split(blockSize int) bool {
	return e.o.Compressor != Zstd && splits(e.o.TypeSize, blockSize)
}

// blockSize returns the block size that c-blosc 1.21 chooses. It is a multiple of 32 KiB (the
// first-level cache) that grows with the level, and is twice as large for slow compressors. If
// blocks are split, the size is multiplied by the element size, because a block has one stream for
// each byte of an element. The product is at least 64 KiB and at most 1 MiB. A block size in the
// options is multiplied as well.
func (e *Encoder) blockSize(n int) int {
	const cache = 32 << 10
	ts, size := e.o.TypeSize, n
	if n < ts {
		return 1
	}
	slow := e.o.Compressor == LZ4HC || e.o.Compressor == Zlib || e.o.Compressor == Zstd
	switch {
	case e.o.BlockSize > 0:
		size = max(e.o.BlockSize, minCompressed)
	case n >= cache:
		size = cache * [...]int{1, 2, 4, 8, 16, 16, 32, 32, 32, 32}[e.o.Level] / 4
		if slow {
			size *= 2
		}
		if slow && e.o.Level == 9 {
			size *= 2
		}
	}
	if e.o.Level > 0 && e.split(size) {
		size = min(max(min(size, 1<<18)*ts, 1<<16), maxBlock)
	}
	size = min(size, n)
	if size > ts {
		size -= size % ts
	}
	return size
}

// zstdEffort returns the effort of zstd for a level. Frames are up to 17 % longer than c-blosc's up
// to level 6, and up to 33 % above. They take half of c-blosc's time at levels 3 to 6.
func zstdEffort(level int) zst.Effort {
	switch {
	case level <= 1:
		return zst.Fastest
	case level == 2:
		return zst.Default
	case level < 7:
		return zst.Better
	}
	return zst.Best
}
