package zst

import (
	"math/bits"
	"sync"

	"github.com/zargo-io/zargo/zarr/codec/internal/zstdenc"
)

// Options configures an encoder.
type Options struct {
	Level    int  // libzstd's scale, -131072 to 22; 0 means 3
	Window   int  // approximate size of a frame, to save memory; 0 if unknown
	Checksum bool // append an XXH64 checksum to each frame
	Near     bool // frames as short as libzstd's also at low levels, though slower to encode
}

// Encoder encodes frames. It is immutable and safe for concurrent use.
type Encoder struct {
	quick *quick // nil if zstdenc encodes all frames
	own   zstdenc.Options
	pool  sync.Pool // of *zstdenc.Encoder
}

// mostQuick is the highest level that klauspost/compress encodes. Up to this level the library is
// 1.5 to 2 times as fast as zstdenc, and for the data of the benchmarks its frames are at most 1 %
// longer than libzstd's. From level 4 on, its frames are up to 24 % longer. For blosc the field
// Options.Near selects zstdenc at all levels, because the library's frames of blosc blocks are up
// to 12 % longer and are not encoded faster.
const mostQuick = 3

// NewEncoder returns an encoder with the given options.
func NewEncoder(o Options) *Encoder {
	e := &Encoder{own: zstdenc.Options{Level: o.Level, Window: window(o.Window), Checksum: o.Checksum}}
	if o.Level <= mostQuick && !o.Near {
		e.quick = newQuick(o)
	}
	return e
}

// Encode appends one frame with the content src to dst. The frame header declares the content size,
// which numcodecs before 0.16 requires.
func (e *Encoder) Encode(dst, src []byte) ([]byte, error) {
	if e.quick != nil && len(src) > 0 { // an empty frame would lack the checksum
		return e.quick.encode(dst, src)
	}
	z, ok := e.pool.Get().(*zstdenc.Encoder)
	if !ok {
		z = zstdenc.New(e.own)
	}
	dst = z.Encode(dst, src)
	e.pool.Put(z)
	return dst, nil
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
