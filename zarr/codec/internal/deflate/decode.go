package deflate

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"

	"github.com/zargo-io/zargo/zarr/codec/internal/stream"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Format is the wrapper around the deflated bytes.
type Format uint8

const (
	// Gzip is one or more members of RFC 1952.
	Gzip Format = iota
	// Zlib is one stream of RFC 1950.
	Zlib
)

// String is "gzip" or "zlib".
func (f Format) String() string { return [...]string{"gzip", "zlib"}[min(f, Zlib)] }

// reader is what one decoding needs; it is used again and again.
type reader struct {
	src  bytes.Reader // an io.ByteReader, so nothing is read past the end of a stream
	gzip gzip.Reader
	zlib io.ReadCloser
	all  stream.Appender
}

// readers are idle, at most so many of some 50 KB: a new one allocates its tables block by block, so none is forgotten as
// a sync.Pool would. Nobody can tell whether a reader was used before.
var readers = make(chan *reader, 32)

func take() *reader {
	select {
	case r := <-readers:
		return r
	default:
		return new(reader)
	}
}

func (r *reader) giveBack() {
	r.src.Reset(nil)
	select {
	case readers <- r:
	default:
	}
}

// Decode appends what src holds to dst. More than limit bytes, and anything in src after the end, are fault.Corrupt.
// Where dst has room for the output nothing is allocated; bytes beyond its capacity are not touched.
func Decode(f Format, dst, src []byte, limit int) ([]byte, error) {
	r := take()
	r.src.Reset(src)
	defer r.giveBack()
	in, err := r.open(f)
	if err != nil {
		return dst, fault.Newf(fault.Corrupt, "%v header: %v", f, err)
	}
	dst, err = r.all.Append(dst, in, limit, len(src))
	if err != nil {
		return dst, fault.Newf(fault.Corrupt, "%v: %v", f, err)
	}
	if n := r.src.Len(); n > 0 {
		return dst, fault.Newf(fault.Corrupt, "%v: %d bytes after the end of the stream", f, n)
	}
	return dst, nil
}

func (r *reader) open(f Format) (io.Reader, error) {
	switch {
	case f == Gzip:
		return &r.gzip, stream.NoEOF(r.gzip.Reset(&r.src))
	case r.zlib != nil:
		return r.zlib, stream.NoEOF(r.zlib.(zlib.Resetter).Reset(&r.src, nil))
	}
	z, err := zlib.NewReader(&r.src)
	if err == nil {
		r.zlib = z
	}
	return z, stream.NoEOF(err)
}
