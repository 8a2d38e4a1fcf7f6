package zst

import (
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// quick makes the frames of low levels with klauspost/compress.
type quick struct {
	opts []zstd.EOption
	pool sync.Pool // of *zstd.Encoder

	// short is for what a frame would not tell the size of, unless it is asked for a single segment.
	short sync.Pool
}

func newQuick(o Options) *quick {
	level, literals := quickLevel(o.Level)
	return &quick{opts: []zstd.EOption{
		zstd.WithEncoderConcurrency(1),
		zstd.WithZeroFrames(true),
		zstd.WithEncoderCRC(o.Checksum),
		zstd.WithWindowSize(window(o.Window)),
		zstd.WithEncoderLevel(level),
		zstd.WithAllLitEntropyCompression(literals),
	}}
}

// quickLevel maps libzstd's levels to the two of the library's that are used: the faster one below 2, but for 0, which is 3. Literals of blocks
// without matches are coded from 1 on: that costs a third of the speed and is worth a fifth of the size on numbers with noise.
func quickLevel(level int) (l zstd.EncoderLevel, literals bool) {
	if level < 0 || level == 1 {
		return zstd.SpeedFastest, level == 1
	}
	return zstd.SpeedDefault, true
}

// encode appends one frame, with its size in the header.
func (q *quick) encode(dst, src []byte) ([]byte, error) {
	pool, short := &q.pool, len(src) <= zstd.MinWindowSize // what is longer is a single segment anyway, as far as the window holds it
	if short {
		pool = &q.short
	}
	z, ok := pool.Get().(*zstd.Encoder)
	if !ok {
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
	pool.Put(z)
	return dst, nil
}
