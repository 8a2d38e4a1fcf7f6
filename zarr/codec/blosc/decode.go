package blosc

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/klauspost/compress/s2"
	"github.com/pierrec/lz4/v4"

	"github.com/zargo-io/zargo/zarr/codec/internal/deflate"
	"github.com/zargo-io/zargo/zarr/codec/internal/planes"
	"github.com/zargo-io/zargo/zarr/codec/internal/zst"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Decode appends the content of a frame to dst. src must be exactly one frame. Decode returns
// fault.Corrupt if the content exceeds limit bytes. If dst has enough capacity, Decode allocates
// nothing.
func Decode(dst, src []byte, limit int) ([]byte, error) {
	h, err := openFrame(src, limit)
	if err != nil {
		return dst, err
	}
	start := len(dst)
	if cap(dst)-start < h.Size {
		dst = slices.Grow(dst, h.Size)
	}
	f := Frame{h: h, src: src, block: -1}
	defer f.Close()
	if err := f.Copy(dst[start:start+h.Size:start+h.Size], 0); err != nil {
		return dst, err
	}
	return dst[:start+h.Size], nil
}

// maxKept is the size of the largest buffer that is kept for reuse. It is 4 MiB, four times the
// largest default block of c-blosc.
const maxKept = 4 << 20

var buffers = sync.Pool{New: func() any { return new(scratch) }}

// most is the maximum number of decoded bytes per byte of a frame. zstd has the densest blocks: 128
// KiB in 4 bytes.
const most = 128 << 10 / 4

// openFrame parses the header of a frame and checks the sizes in the header against the length of
// src and the limit.
func openFrame(src []byte, limit int) (Header, error) {
	h, err := ParseHeader(src)
	switch {
	case err != nil:
		return h, err
	case h.Encoded != len(src):
		return h, fault.Newf(fault.Corrupt, "blosc header declares a frame of %d bytes, but the frame has %d", h.Encoded, len(src))
	case h.Size > limit:
		return h, fault.Newf(fault.Corrupt, "blosc header declares %d decoded bytes, want at most %d", h.Size, limit)
	case h.Stored && h.Encoded != HeaderSize+h.Size:
		return h, fault.Newf(fault.Corrupt, "blosc frame of %d bytes cannot store %d uncompressed bytes", h.Encoded, h.Size)
	case h.Stored:
		return h, nil
	case h.blocks() > (len(src)-HeaderSize)/4:
		return h, fault.Newf(fault.Corrupt, "blosc header declares %d blocks, too many for a frame of %d bytes", h.blocks(), len(src))
	case h.Size/most > len(src):
		return h, fault.Newf(fault.Corrupt, "blosc header declares %d decoded bytes, too many for a frame of %d bytes", h.Size, len(src))
	}
	return h, nil
}

// decodeBlock decodes block i of a frame to dst.
func (h Header) decodeBlock(dst, src []byte, i int, s *scratch) error {
	plain := dst
	if h.Shuffle != NoShuffle {
		plain = s.room(len(dst))
	}
	if err := h.decodePlanes(plain, src, i); err != nil {
		return err
	}
	switch h.Shuffle {
	case ByteShuffle:
		planes.Join(dst, plain, h.TypeSize)
	case BitShuffle:
		bitUnshuffle(dst, plain, h.TypeSize)
	}
	return nil
}

// scratch is a reusable buffer for a block. Unused buffers are in the pool "buffers".
type scratch struct{ b []byte }

// room returns n bytes with undefined contents. They are valid until the next call of room.
func (s *scratch) room(n int) []byte {
	if cap(s.b) >= n {
		return s.b[:n]
	}
	b := make([]byte, n)
	if n <= maxKept {
		s.b = b
	}
	return b
}

// decodePlanes decodes block i of a frame to dst, but does not reverse the shuffle.
func (h Header) decodePlanes(dst, src []byte, i int) error {
	end := HeaderSize + 4*h.blocks()
	at := int(int32(binary.LittleEndian.Uint32(src[HeaderSize+4*i:])))
	if at < end || at >= len(src) {
		return fault.Newf(fault.Corrupt, "blosc block %d has the invalid offset %d in a frame of %d bytes", i, at, len(src))
	}
	if err := h.decodeStreams(dst, src[at:]); err != nil {
		return fault.Newf(fault.Corrupt, "blosc block %d: %v", i, err)
	}
	return nil
}

// decodeStreams decodes the streams at the start of src to dst.
func (h Header) decodeStreams(dst, src []byte) error {
	streams := h.streams(len(dst))
	n := len(dst) / streams
	if n*streams != len(dst) {
		return errorf("block of %d bytes cannot be split into elements of %d bytes", len(dst), h.TypeSize)
	}
	for i := range streams {
		if len(src) < 4 {
			return errorf("truncated in the length of stream %d", i)
		}
		size := int(int32(binary.LittleEndian.Uint32(src)))
		src = src[4:]
		if size < 0 || size > len(src) {
			return errorf("stream %d declares %d bytes, but only %d remain", i, size, len(src))
		}
		if size > longest(n) {
			return errorf("stream %d declares %d bytes, too many for %d decoded bytes", i, size, n)
		}
		if err := h.decodeStream(dst[i*n:(i+1)*n:(i+1)*n], src[:size:size]); err != nil {
			return errorf("%v stream %d of %d bytes: %v", h.Compressor, i, size, err)
		}
		src = src[size:]
	}
	return nil
}

// longest returns the maximum encoded size of a stream of n bytes. It is the size of c-blosc's
// buffer for snappy; the other compressors need only n bytes. The limit is necessary because blocks
// may share their streams: without it, the decoding time could be quadratic in the frame's size.
func longest(n int) int { return 32 + n + n/6 }

// decodeStream decodes src to dst. src must encode exactly len(dst) bytes.
func (h Header) decodeStream(dst, src []byte) (err error) {
	if len(src) == len(dst) {
		copy(dst, src)
		return nil
	}
	var n int
	var b []byte
	switch h.Compressor {
	case BloscLZ:
		n, err = bloscLZ(dst, src)
	case LZ4:
		n, err = lz4.UncompressBlock(src, dst)
	case Zlib:
		b, err = deflate.Decode(deflate.Zlib, dst[:0], src, len(dst))
		n = len(b)
	case Zstd:
		b, err = zst.Decode(dst[:0], src, len(dst))
		n = len(b)
	case Snappy:
		if n, err = s2.DecodedLen(src); err == nil && n == len(dst) {
			_, err = s2.Decode(dst, src)
		}
	}
	if err == nil && n != len(dst) {
		err = errorf("decoded to %d bytes, want %d", n, len(dst))
	}
	return err
}
