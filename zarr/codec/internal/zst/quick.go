package zst

import (
	"math/bits"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// quick encodes frames of low levels with klauspost/compress.
type quick struct {
	opts []zstd.EOption
	idle *encoders

	// short holds encoders for short sources, which make frames of a single segment. Otherwise the
	// frame of a short source would not declare its content size.
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

// quickLevel maps a level of libzstd to a level of the library: the fastest level for negative
// levels and level 1, and the default level for levels 0, 2 and 3. If "literals" is set, literals
// are also compressed in blocks without matches. This reduces the speed by a third and the size of
// noisy numbers by a fifth.
func quickLevel(level int) (l zstd.EncoderLevel, literals bool) {
	if level < 0 || level == 1 {
		return zstd.SpeedFastest, level == 1
	}
	return zstd.SpeedDefault, true
}

// encode appends one frame. The frame header declares the content size.
func (q *quick) encode(dst, src []byte) ([]byte, error) {
	// A longer source needs no option: if it fits into the window, its frame has a single segment.
	from, short := q.idle, len(src) <= zstd.MinWindowSize
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
