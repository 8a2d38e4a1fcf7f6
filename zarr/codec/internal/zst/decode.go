package zst

import (
	"math"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Decode appends the content of all frames in src to dst. It ignores skippable frames. It returns
// fault.Corrupt if the content exceeds limit bytes. If dst has enough capacity, nothing is
// allocated. Bytes beyond dst's capacity are not modified.
func Decode(dst, src []byte, limit int) ([]byte, error) {
	if len(src) == 0 {
		return dst, fault.Newf(fault.Corrupt, "zstd: input is empty")
	}
	d := decoders.Get().(*zstd.Decoder)
	defer decoders.Put(d)

	start := len(dst)
	most := min(limit, holds(len(src)))
	room := min(cap(dst)-start, limit)
	if room < most {
		size, known := guess(src)
		if known && size > uint64(most) {
			return dst, fault.Newf(fault.Corrupt, "zstd: frame of %d bytes declares %d decoded bytes, want at most %d", len(src), size, most)
		}
		room = max(room, int(min(size, uint64(most))))
	}
	for {
		dst = grown(dst, room)
		out, err := d.DecodeAll(src, dst[start:start:start+room])
		switch {
		case err == nil && len(out) <= room:
			if len(out) > 0 && &out[0] != &dst[:start+1][start] {
				copy(dst[start:start+room], out)
			}
			return dst[:start+len(out)], nil
		case room >= most && err == nil:
			return dst, fault.Newf(fault.Corrupt, "zstd: decoded to %d bytes, want at most %d", len(out), limit)
		case room >= most:
			return dst, fault.Newf(fault.Corrupt, "zstd: %v (want at most %d bytes)", err, limit)
		}
		// The buffer may have been too small. If the frame declares no content size, the error does
		// not distinguish a small buffer from a corrupt frame. Retry with four times the size, and
		// finally with the maximum.
		if room > most/4 {
			room = most
		} else {
			room = min(most, max(minGuess, 4*room)) // frames may falsely declare 0 bytes
		}
	}
}

// maxWindow is the maximum window of a frame that is decoded. It is libzstd's limit, 31 bits. A
// window takes no memory of its own, because frames are decoded into one buffer.
const maxWindow = min(1<<31, math.MaxInt)

// minGuess is the minimum size of the first buffer for a frame that does not declare its content
// size.
const minGuess = 64 << 10

// decoders holds idle decoders. The output does not depend on the decoder that is used.
var decoders = sync.Pool{New: func() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		panic(err) // the options are constants
	}
	return d
}}

// holds returns the maximum size of the content of frames of n bytes. A block takes at least 4
// bytes and has at most 128 KiB of content.
func holds(n int) int {
	const block = 128 << 10
	if n/4 >= math.MaxInt/block {
		return math.MaxInt
	}
	return n / 4 * block
}

// guess returns a size for the first buffer. known reports whether the first frame declares this
// size.
func guess(src []byte) (n uint64, known bool) {
	var h zstd.Header
	if err := h.Decode(src); err == nil && h.HasFCS && !h.Skippable {
		return h.FrameContentSize, true
	}
	return max(minGuess, 4*uint64(len(src))), false
}

// grown returns dst with capacity for at least n more bytes.
func grown(dst []byte, n int) []byte {
	if cap(dst)-len(dst) >= n {
		return dst
	}
	out := make([]byte, len(dst), len(dst)+n)
	copy(out, dst)
	return out
}
