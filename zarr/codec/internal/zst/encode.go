package zst

import (
	"math/bits"
	"sync"

	"github.com/zargo-io/zargo/zarr/codec/internal/zstdenc"
)

// Options are those of an encoder.
type Options struct {
	Level    int  // libzstd's scale, -131072 to 22; 0 is 3
	Window   int  // about the bytes of one frame, to save memory; 0 when not known
	Checksum bool // frames carry an XXH64 of their contents
}

// Encoder makes frames. It is immutable and safe for concurrent use.
type Encoder struct {
	o    zstdenc.Options
	pool sync.Pool
}

// NewEncoder makes an encoder.
func NewEncoder(o Options) *Encoder {
	return &Encoder{o: zstdenc.Options{Level: o.Level, Window: window(o.Window), Checksum: o.Checksum}}
}

// Encode appends one frame that holds src, with its size in the header: numcodecs before 0.16 refuses one that does not tell it.
func (e *Encoder) Encode(dst, src []byte) []byte {
	z, ok := e.pool.Get().(*zstdenc.Encoder)
	if !ok {
		z = zstdenc.New(e.o)
	}
	dst = z.Encode(dst, src)
	e.pool.Put(z)
	return dst
}

// window is the smallest power of two that holds n bytes. 8 MiB at most: what RFC 8878 asks every decoder to support.
func window(n int) int {
	const least, most = 1 << 10, 8 << 20
	if n <= 0 || n >= most {
		return most
	}
	return max(least, 1<<bits.Len(uint(n-1)))
}
