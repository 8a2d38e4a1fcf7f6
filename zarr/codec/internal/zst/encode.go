package zst

import (
	"math/bits"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// Options configures an encoder.
type Options struct {
	Effort   Effort
	Window   int  // approximate size of a frame, to save memory; 0 if unknown
	Checksum bool // append an XXH64 checksum to each frame
}

// Encoder encodes frames. It is immutable and safe for concurrent use.
type Encoder struct {
	opts   []zstd.EOption
	effort Effort
	empty  string // the frame without content
	idle   *encoders

	// short holds encoders for short sources, which make frames of a single segment. Otherwise the
	// frame of a short source would not declare its content size. Their effort is at most Better,
	// because Best needs 34 MB.
	short *encoders
}

// NewEncoder returns an encoder with the given options.
func NewEncoder(o Options) *Encoder {
	w := window(o.Window)
	level, literals := o.Effort.settings()
	sum := 0
	if o.Checksum {
		sum = 1
	}
	log := bits.Len(uint(w)) - 1
	return &Encoder{
		opts: []zstd.EOption{
			zstd.WithEncoderConcurrency(1),
			zstd.WithEncoderCRC(o.Checksum),
			zstd.WithWindowSize(w),
			zstd.WithEncoderLevel(level),
			zstd.WithAllLitEntropyCompression(literals),
		},
		effort: o.Effort,
		empty:  emptyFrames[sum],
		idle:   &idle[o.Effort][sum][log][0],
		short:  &idle[min(o.Effort, Better)][sum][log][1],
	}
}

// Encode appends one frame with the content src to dst. The frame header declares the content size,
// which numcodecs before 0.16 requires.
func (e *Encoder) Encode(dst, src []byte) ([]byte, error) {
	if len(src) == 0 {
		return append(dst, e.empty...), nil
	}
	// A longer source needs no option: if it fits into the window, its frame has a single segment.
	from, short := e.idle, len(src) <= zstd.MinWindowSize
	if short {
		from = e.short
	}
	z := from.take()
	if z == nil {
		opts := e.opts
		if short {
			level, _ := min(e.effort, Better).settings()
			opts = append(slices.Clip(opts), zstd.WithSingleSegment(true), zstd.WithEncoderLevel(level))
		}
		var err error
		if z, err = zstd.NewWriter(nil, opts...); err != nil {
			return dst, err
		}
	}
	dst = z.EncodeAll(src, dst)
	from.giveBack(z, e.effort.kept())
	return dst, nil
}

// emptyFrames are the frames without content (RFC 8878, section 3.1.1): a single segment of 0 bytes
// with one raw block, without and with a checksum. The library leaves out the checksum.
var emptyFrames = [2]string{
	"\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00",
	"\x28\xb5\x2f\xfd\x24\x00\x01\x00\x00\x99\xe9\xd8\x51",
}

// maxWindowLog is the base-2 logarithm of the maximum window, 8 MiB. RFC 8878 recommends that every
// decoder support this size.
const maxWindowLog = 23

// window returns the window for frames of about n bytes: the smallest power of two that is at least
// n, within limits.
func window(n int) int {
	const least, most = 1 << 10, 1 << maxWindowLog
	if n <= 0 || n >= most {
		return most
	}
	return max(least, 1<<bits.Len(uint(n-1)))
}
