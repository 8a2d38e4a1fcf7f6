package zst

import (
	"math/bits"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// quick makes the frames of low levels with klauspost/compress.
type quick struct {
	opts []zstd.EOption
	idle *encoders

	// short is for what a frame would not tell the size of, unless it is asked for a single
	// segment.
	short *encoders
}

func newQuick(o Options) *quick {
	level, literals := quickLevel(o.Level)
	w := window(o.Window)
	of := &idle[index(level == zstd.SpeedFastest)][index(literals)][index(o.Checksum)][bits.Len(uint(w))-1]
	return &quick{
		opts: []zstd.EOption{
			zstd.WithEncoderConcurrency(1),
			zstd.WithZeroFrames(true),
			zstd.WithEncoderCRC(o.Checksum),
			zstd.WithWindowSize(w),
			zstd.WithEncoderLevel(level),
			zstd.WithAllLitEntropyCompression(literals),
		},
		idle: &of[0], short: &of[1],
	}
}

func index(b bool) int {
	if b {
		return 1
	}
	return 0
}

// quickLevel maps libzstd's levels to the two of the library's that are used: the faster one below
// 2, but for 0, which is 3. Literals of blocks without matches are coded from 1 on: that costs a
// third of the speed and is worth a fifth of the size on numbers with noise.
func quickLevel(level int) (l zstd.EncoderLevel, literals bool) {
	if level < 0 || level == 1 {
		return zstd.SpeedFastest, level == 1
	}
	return zstd.SpeedDefault, true
}

// encode appends one frame, with its size in the header.
func (q *quick) encode(dst, src []byte) ([]byte, error) {
	from, short := q.idle, len(src) <= zstd.MinWindowSize // what is longer is a single segment anyway, as far as the window holds it
	if short {
		from = q.short
	}
	z := from.take()
	if z == nil {
		opts := q.opts
		if short {
			opts = append(slices.Clip(opts), zstd.WithSingleSegment(true))
		}
		var err error
		if z, err = zstd.NewWriter(nil, opts...); err != nil {
			return dst, err
		}
	}
	dst = z.EncodeAll(src, dst)
	from.giveBack(z)
	return dst, nil
}
