package zst

import (
	"math/bits"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Options are those of an encoder.
type Options struct {
	Level    int  // libzstd's scale, -131072 to 22; 0 is 3
	Window   int  // about the bytes of one frame, to save memory; 0 when not known
	Checksum bool // frames carry an XXH64 of their contents
}

// Encoder makes frames. It is immutable and safe for concurrent use.
type Encoder struct {
	opts []zstd.EOption
	pool sync.Pool

	// short is for what a frame would not tell the size of, unless it is asked for a single segment.
	short sync.Pool
}

// NewEncoder makes an encoder.
func NewEncoder(o Options) *Encoder {
	level, literals := scale(o.Level)
	return &Encoder{opts: []zstd.EOption{
		zstd.WithEncoderConcurrency(1),
		zstd.WithZeroFrames(true),
		zstd.WithEncoderCRC(o.Checksum),
		zstd.WithWindowSize(window(o.Window)),
		zstd.WithEncoderLevel(level),
		zstd.WithAllLitEntropyCompression(literals),
	}}
}

// Encode appends one frame that holds src, with its size in the header.
func (e *Encoder) Encode(dst, src []byte) ([]byte, error) {
	pool, short := &e.pool, len(src) <= zstd.MinWindowSize // what is longer is a single segment anyway, as far as the window holds it
	if short {
		pool = &e.short
	}
	z, ok := pool.Get().(*zstd.Encoder)
	if !ok {
		opts := e.opts
		if short {
			opts = append(slices.Clip(opts), zstd.WithSingleSegment(true))
		}
		var err error
		if z, err = zstd.NewWriter(nil, opts...); err != nil {
			return dst, err
		}
	}
	dst = z.EncodeAll(src, dst)
	pool.Put(z)
	return dst, nil
}

// scale maps libzstd's levels to the four that there are, and says whether to code literals of blocks without matches.
//
//	below 0       fastest
//	1             fastest, literals coded
//	0, 2, 3, 4    default, literals coded
//	5, 6          better, literals coded
//	7 to 22       best, literals coded
//
// Coded literals cost a third of the speed and are worth a fifth of the size on numbers with noise. Each is what
// comes near libzstd's output in two or three times its time: at 2 "fastest" is up to 6 % larger than it, "default" 2 %;
// at 9 "better" is up to 26 % larger, "best" 4 %.
func scale(level int) (zstd.EncoderLevel, bool) {
	switch {
	case level < 0:
		return zstd.SpeedFastest, false
	case level == 1:
		return zstd.SpeedFastest, true
	case level < 5:
		return zstd.SpeedDefault, true
	case level < 7:
		return zstd.SpeedBetterCompression, true
	default:
		return zstd.SpeedBestCompression, true
	}
}

// window is the smallest power of two that holds n bytes. 8 MiB at most: what RFC 8878 asks every decoder to support.
func window(n int) int {
	const least, most = zstd.MinWindowSize, 8 << 20
	if n <= 0 || n >= most {
		return most
	}
	return max(least, 1<<bits.Len(uint(n-1)))
}
