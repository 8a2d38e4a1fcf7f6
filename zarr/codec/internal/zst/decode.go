package zst

import (
	"math"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/zargo-io/zargo/zarr/fault"
)

// maxWindow is the largest window of a frame that is read: libzstd's limit, 31 bits. A window costs
// no memory here, because the output is decoded in one piece; only its number has to fit an int.
const maxWindow = min(1<<31, math.MaxInt)

// minGuess is the first size tried for output whose size the frame does not say.
const minGuess = 64 << 10

// decoders is a cache of decoders; nobody can tell whether one was used before.
var decoders = sync.Pool{New: func() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		panic(err) // the options are constants
	}
	return d
}}

// Decode appends what all frames in src hold to dst, skippable frames left out. More than limit
// bytes are fault.Corrupt. Where dst has room for the output nothing is allocated; bytes beyond its
// capacity are not touched.
func Decode(dst, src []byte, limit int) ([]byte, error) {
	if len(src) == 0 {
		return dst, fault.Newf(fault.Corrupt, "no zstd frame: no bytes")
	}
	d := decoders.Get().(*zstd.Decoder)
	defer decoders.Put(d)

	start := len(dst)
	most := min(limit, holds(len(src)))
	room := min(cap(dst)-start, limit)
	if room < most {
		size, known := guess(src)
		if known && size > uint64(most) {
			return dst, fault.Newf(fault.Corrupt, "zstd: frame says %d bytes, at most %d are due, and %d hold at most %d", size, limit, len(src), most)
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
			return dst, fault.Newf(fault.Corrupt, "zstd: %d bytes where at most %d are due", len(out), limit)
		case room >= most:
			return dst, fault.Newf(fault.Corrupt, "zstd: %v (at most %d bytes are due)", err, limit)
		}
		// The error may mean that the room was too small; which error a frame without a size gives
		// then is not settled. Tried again with four times the room, the last time with all that is
		// allowed.
		if room > most/4 {
			room = most
		} else {
			room = min(most, max(minGuess, 4*room)) // a frame may say 0 bytes and lie
		}
	}
}

// holds bounds what n bytes of frames can hold: a block has 4 bytes or more, and 128 KiB of
// contents at most.
func holds(n int) int {
	const block = 128 << 10
	if n/4 >= math.MaxInt/block {
		return math.MaxInt
	}
	return n / 4 * block
}

// guess is how much room to try first, and whether the first frame says so itself.
func guess(src []byte) (n uint64, known bool) {
	var h zstd.Header
	if err := h.Decode(src); err == nil && h.HasFCS && !h.Skippable {
		return h.FrameContentSize, true
	}
	return max(minGuess, 4*uint64(len(src))), false
}

// grown gives dst room for n more bytes.
func grown(dst []byte, n int) []byte {
	if cap(dst)-len(dst) >= n {
		return dst
	}
	out := make([]byte, len(dst), len(dst)+n)
	copy(out, dst)
	return out
}
